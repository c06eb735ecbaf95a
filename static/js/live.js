// The socket: every message is a row of fragments, each put where its id stands, or into the list it names (data-into).

const page = document.querySelector("[data-after]");
let last = Number(page?.dataset.after ?? 0);

// The socket is asked for what came after the last sequence the page holds, also when it comes back after a break.
// Where sockets never open, because something on the way refuses them, the page asks for its news by itself.
const PATIENCE = 2;
const QUIET = 10000;
const CALM = { first: 500, most: 5000 };
let refused = 0;
let heard = performance.now();
let wrapper = null;

window.htmx.config.wsReconnectDelay = (count) =>
  Math.min(CALM.first * 2 ** count, CALM.most) * (0.5 + Math.random() / 2);

// The bell in the page's head has a socket of its own, on every page; what follows is about the page's.
const BELL = "/ws/notices/";
const isBell = (event) => Boolean(event.target.closest?.("#bell"));

window.htmx.createWebSocket = (url) => {
  const address = new URL(url);
  if (address.pathname === BELL) return new WebSocket(address, []);
  if (page) address.searchParams.set("after", last);
  if (page?.dataset.news && refused >= PATIENCE) return new Questions(page.dataset.news);
  const socket = new WebSocket(address, []);
  refused += 1;
  socket.addEventListener("open", () => { refused = 0; });
  return socket;
};

// Speaks like a WebSocket and asks over HTTP. After a while it ends, so that a real socket is tried again.
class Questions extends EventTarget {
  static EVERY = 1500;
  static TIMES = 20;
  OPEN = WebSocket.OPEN;
  readyState = WebSocket.CONNECTING;

  constructor(address) {
    super();
    this.address = new URL(address, location.href);
    this.state = "";
    setTimeout(() => this.ask(0));
  }

  async ask(count) {
    if (this.readyState === WebSocket.CLOSED) return;
    const answer = await news(this.address, this.state).catch(() => null);
    if (!answer || answer.status >= 500) return this.end(1006);
    if (answer.status >= 400) return this.end(4403);
    if (this.readyState === WebSocket.CONNECTING) this.open();
    this.state = answer.headers.get("X-Run-State");
    if (answer.status === 200) this.dispatchEvent(new MessageEvent("message", { data: await answer.text() }));
    if (answer.headers.get("X-Run-Ended") === "1") this.end(1000);
    else if (count < Questions.TIMES) setTimeout(() => this.ask(count + 1), Questions.EVERY);
    else this.end(1012);
  }

  open() {
    this.readyState = WebSocket.OPEN;
    this.onopen?.(new Event("open"));
  }

  end(code) {
    if (this.readyState === WebSocket.CLOSED) return;
    this.readyState = WebSocket.CLOSED;
    refused = PATIENCE - 1;
    this.onclose?.(new CloseEvent("close", { code }));
  }

  close() {
    this.end(1005);
  }
}

function news(address, state = "") {
  const asked = new URL(address, location.href);
  asked.searchParams.set("after", last);
  if (state) asked.searchParams.set("state", state);
  return fetch(asked, { headers: { Accept: "text/html" } });
}

// A socket can be dead without either side knowing.
// When it is quiet for long, the page asks once whether it missed something.
// A socket that was opened or heard while that was asked is alive, and is left alone.
setInterval(async () => {
  if (!page?.dataset.news || !wrapper || !isOpen() || performance.now() - heard < QUIET) return;
  const asked = performance.now();
  heard = asked;
  const answer = await news(page.dataset.news).catch(() => null);
  if (answer?.status === 200 && heard === asked) wrapper.reconnect();
}, QUIET / 4);

addEventListener("online", () => wrapper?.reconnect());

function isOpen() {
  return Boolean(document.querySelector("#step-now.now"));
}

function place(element) {
  if (!element.id || document.getElementById(element.id)) return true;
  arrived.push(element.id);
  const lists = (element.dataset.into ?? "").split(" ").map((id) => document.getElementById(id));
  const list = lists.find(Boolean);
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
  const step = document.querySelector(".step.cited");
  const row = step?.checkVisibility() ? step : step?.closest(".of");
  row?.querySelector("summary").scrollIntoView({ block: "nearest" });
}

// Of a trace over several documents the one being read is open, the others are folded; a step alone stays as it is.
function foldDocuments(current) {
  for (const group of steps.querySelectorAll(":scope > .of")) {
    const folded = group !== current && group.querySelectorAll(".step").length > 1;
    if (folded && !group.contains(document.activeElement)) group.querySelector("details").open = false;
  }
}

const steps = document.getElementById("steps");
const scroller = steps?.closest(".pane-body");
let atEnd = false;
let arrived = [];

document.addEventListener("htmx:wsBeforeMessage", (event) => {
  if (isBell(event)) return;
  heard = performance.now();
  if (scroller) atEnd = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 40;
  arrived = [];
});

document.addEventListener("htmx:wsAfterMessage", (event) => {
  if (isBell(event)) return;
  for (const id of arrived) document.getElementById(id)?.classList.add("fresh");
  steps?.classList.toggle("dense", steps.querySelectorAll(".done").length > 20);
  const newest = arrived.map((id) => document.getElementById(id)).findLast((row) => row?.matches("#steps .step, .of"));
  if (newest) foldDocuments(newest.closest(".of"));
  document.dispatchEvent(new CustomEvent("live:changed"));
  if (announce() && atEnd) showFinding();
  else if (scroller && atEnd) scroller.scrollTop = scroller.scrollHeight;
});

// The connection is spoken of when it is lost for longer than a moment, and once more when it is back.
const away = document.getElementById("socket-away");
let losing = null;
let backAt = 0;

function connection(word) {
  clearTimeout(losing);
  if (!away) return;
  away.hidden = !word;
  away.className = word === "back" ? "badge good" : "badge warn";
  away.textContent = away.dataset[word] ?? "";
}

document.addEventListener("htmx:wsClose", (event) => {
  if (isBell(event)) return;
  const code = event.detail.event?.code;
  // Closed from here, for another socket that was opened in its place: that one says how the connection is.
  if (code === 1005 && isOpen()) return;
  if ([1000, 1005, 4403].includes(code) || !isOpen()) return connection("");
  clearTimeout(losing);
  losing = setTimeout(() => { if (isOpen()) connection("lost"); }, 700);
});
document.addEventListener("htmx:wsOpen", (event) => {
  if (isBell(event)) return;
  wrapper = event.detail.socketWrapper;
  heard = performance.now();
  const said = away && !away.hidden;
  // The socket may be replaced once more meanwhile: that it is back is said once, for four seconds in all.
  if (said && !away.classList.contains("good")) backAt = heard;
  connection(said ? "back" : "");
  if (said) losing = setTimeout(() => connection(""), backAt + 4000 - heard);
});
addEventListener("offline", () => { if (isOpen()) connection("lost"); });
