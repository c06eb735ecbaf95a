// A large file in pieces: what has arrived stays, and sending goes on from there when the line is back.

const PAUSES = [1, 2, 4, 8, 15]; // seconds between tries while the line is down, the last one again and again
const HEAD = 8192;
const TAIL = 65557; // what the server looks at before it takes a file in (services/uploads.py)

function fields(form, more) {
  const body = new FormData();
  for (const field of form.querySelectorAll("input[type=hidden]")) body.append(field.name, field.value);
  for (const [name, value, ...file] of more) body.append(name, value, ...file);
  return body;
}

// The digest of a piece where the browser may make one: not on plain HTTP from another machine.
async function digest(piece) {
  if (!crypto.subtle) return {};
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", await piece.arrayBuffer()));
  return { "X-SHA256": [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("") };
}

// Until the time is over or the browser says that the line is back; ends at once when the upload is cancelled.
function pause(seconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, seconds * 1000);
    window.addEventListener("online", resolve, { once: true });
    signal.addEventListener("abort", () => { clearTimeout(timer); reject(signal.reason); }, { once: true });
  });
}

// The answer to one request, tried again for as long as the line or the server is away.
async function ask(make, signal, broken) {
  for (let tries = 0; ; tries += 1) {
    try {
      const answer = await fetch(...(await make()));
      if (answer.status < 500) return answer;
    } catch (error) {
      if (signal.aborted) throw error;
    }
    broken();
    await pause(PAUSES[Math.min(tries, PAUSES.length - 1)], signal);
  }
}

// Sends `file` and gives what the server shows of it, as HTML. `told(share)` hears how much is there, `broken()` that
// the line is down.
export async function sendInPieces(form, file, { signal, told, broken }) {
  const token = form.querySelector("input[name=csrfmiddlewaretoken]").value;
  const headers = { "X-CSRFToken": token, "X-Requested-With": "XMLHttpRequest" };
  const size = Number(form.dataset.piece);
  const ends = [["ends", file.slice(0, HEAD), "head"], ["ends", file.slice(-TAIL), "tail"]];
  const begin = () => [
    form.dataset.begin,
    { method: "POST", headers, signal, body: fields(form, [["name", file.name], ["size", file.size], ...ends]) },
  ];
  let place = null;
  let received = 0;
  for (;;) {
    if (!place) {
      const answer = await ask(begin, signal, broken);
      if (answer.status !== 201) return answer.text();
      place = await answer.json();
      received = place.received;
      signal.addEventListener("abort", () => fetch(place.cancel, { method: "POST", headers, keepalive: true }));
    }
    told(received / file.size);
    const piece = file.slice(received, received + size);
    const add = async () => [
      `${place.add_to}?from=${received}`,
      {
        method: "POST", signal, body: piece,
        headers: { ...headers, "Content-Type": "application/octet-stream", ...(await digest(piece)) },
      },
    ];
    const answer = await ask(add, signal, broken);
    if (answer.status === 404) { place = null; continue; } // it waited too long: from the beginning
    if (!answer.headers.get("Content-Type")?.includes("json")) return answer.text();
    const state = await answer.json();
    if (answer.status !== 200 && state.received >= file.size) await pause(1, signal); // another request stores it
    received = state.received;
  }
}
