// The socket: every message is a row of fragments, each put where its id stands, or into the list it names (data-into).

const page = document.querySelector("[data-after]");
let last = Number(page?.dataset.after ?? 0);

// The socket is asked for what came after the last sequence the page holds, also when it comes back after a break.
window.htmx.createWebSocket = (url) => {
  const address = new URL(url);
  if (page) address.searchParams.set("after", last);
  return new WebSocket(address, []);
};

function place(element) {
  if (!element.id || document.getElementById(element.id)) return true;
  arrived.push(element.id);
  const list = document.getElementById(element.dataset.into ?? "");
  if (!list || "closed" in list.dataset) return false;
  const holder = document.createElement(element.localName);
  holder.id = element.id;
  const end = list.querySelector(":scope > [data-last]");
  if (end) end.before(holder);
  else if ("first" in element.dataset) list.prepend(holder);
  else list.append(holder);
  list.closest("[hidden]")?.removeAttribute("hidden");
  document.getElementById(`no-${list.id}`)?.remove();
  return true;
}

// A row that has no place on this page may hold a part that has: the stage of one document on its own page.
function replaceAlone(element) {
  for (const part of element.querySelectorAll("[data-alone]")) {
    const old = document.getElementById(part.id);
    if (!old) continue;
    old.replaceWith(part);
    window.htmx.process(part);
    if (part.dataset.status === "ready" && part.closest("[data-reload-when-ready]")) location.reload();
  }
}

// What has no place here at all is left out, so that htmx does not look for it in vain.
function prepare(message) {
  const holder = document.createElement("template");
  holder.innerHTML = message;
  for (const element of [...holder.content.children]) {
    for (const part of [element, ...element.querySelectorAll("[data-sequence]")]) {
      last = Math.max(last, Number(part.dataset.sequence ?? 0));
    }
    if (place(element)) continue;
    replaceAlone(element);
    element.remove();
  }
  return holder.innerHTML;
}

// The socket's messages come without a request; answers to requests are left as they are.
window.htmx.defineExtension("upsert", { transformResponse: (text, request) => (request ? text : prepare(text)) });

// The end of a run is said once, to those who listen and in the title for those who look elsewhere.
function announce() {
  const place = document.getElementById("announced");
  const now = document.getElementById("step-now");
  if (!now?.hidden) return false;
  if (!place || place.textContent) return true;
  const outcome = document.getElementById("outcome");
  place.textContent = outcome.textContent.replace(/\s+/g, " ").trim();
  document.title = `${outcome.querySelector("b").textContent.trim()}: ${document.title}`;
  return true;
}

// A reader who followed the trace to its end is brought back to the step that found the lit quote.
function showFinding() {
  scroller.scrollTop = 0;
  document.querySelector(".step.cited > details > summary")?.scrollIntoView({ block: "nearest" });
}

const steps = document.getElementById("steps");
const scroller = steps?.closest(".pane-body");
let atEnd = false;
let arrived = [];

document.addEventListener("htmx:wsBeforeMessage", () => {
  if (scroller) atEnd = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 40;
  arrived = [];
});

document.addEventListener("htmx:wsAfterMessage", () => {
  for (const id of arrived) document.getElementById(id)?.classList.add("fresh");
  steps?.classList.toggle("dense", steps.querySelectorAll(":scope > .done").length > 20);
  document.dispatchEvent(new CustomEvent("live:changed"));
  if (announce() && atEnd) showFinding();
  else if (scroller && atEnd) scroller.scrollTop = scroller.scrollHeight;
});

const away = document.getElementById("socket-away");
if (away) {
  document.addEventListener("htmx:wsClose", (event) => { away.hidden = event.detail.event?.code === 1000 || !document.querySelector("#step-now.now"); });
  document.addEventListener("htmx:wsOpen", () => { away.hidden = true; });
}
