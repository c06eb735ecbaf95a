// The source pane: which page is in view, turning to its neighbours, pages opened from the trace, zoom,
// following the run.

import "./words.js";

const ZOOMS = 4;
let zoom = 0;
let following = true;

const pane = () => document.querySelector("#source .pane-body, #page .pane-body");
const sheets = () => document.getElementById("sheets");

// On a phone the window scrolls and not the pane, whose head stays at the top of it.
function frame() {
  const { top, bottom } = pane().getBoundingClientRect();
  const head = pane().closest(".pane").querySelector(".pane-head").getBoundingClientRect();
  return { top: Math.max(top, head.bottom), bottom: Math.min(bottom, innerHeight) };
}

// The page of the lit quote while that is to be seen, else the one in the upper part of the pane.
function inView() {
  if (!pane()?.getClientRects().length) return null;
  const { top, bottom } = frame();
  const seen = (hit) => {
    const box = hit.getBoundingClientRect();
    return box.bottom > top && box.top < bottom;
  };
  const lit = [...sheets().querySelectorAll(".hit.on")].find(seen);
  const all = [...sheets().querySelectorAll(".sheet")];
  const middle = top + (bottom - top) / 3;
  const read = all.findLast((sheet) => sheet.getBoundingClientRect().top <= middle);
  return lit?.closest(".sheet") ?? read ?? all[0] ?? null;
}

function show(selector, fill) {
  const element = document.querySelector(selector);
  if (element) fill(element);
}

function look() {
  const sheet = inView();
  if (!sheet) return;
  show("[data-source-title]", (element) => { element.textContent = sheet.dataset.title; });
  show("[data-source-page]", (element) => { element.textContent = `${sheet.dataset.page} / ${sheet.dataset.pages}`; });
  show("[data-source-open]", (element) => { element.href = sheet.dataset.url; });
  show("[data-source-crumbs]", (element) => {
    const crumbs = sheet.dataset.crumbs.split("|").filter(Boolean);
    const spans = crumbs.map((crumb) => Object.assign(document.createElement("span"), { textContent: crumb }));
    element.replaceChildren(...spans);
  });
}

function scrollTo(sheet) {
  const by = sheet.getBoundingClientRect().top - frame().top - 12;
  if (pane().scrollHeight > pane().clientHeight) pane().scrollTop += by;
  else scrollBy(0, by);
  look();
}

async function fetchSheet(url) {
  const reply = await fetch(url, { headers: { "HX-Request": "true" }, credentials: "same-origin" });
  const holder = document.createElement("template");
  holder.innerHTML = await reply.text();
  return reply.ok ? holder.content.querySelector(".sheet") : null;
}

async function open(url, insert, arrived = () => {}) {
  const sheet = await fetchSheet(url);
  if (!sheet) return;
  const known = document.getElementById(sheet.id);
  if (!known) insert(sheet);
  sheets().querySelector(":scope > .empty")?.remove();
  follow(false);
  const shown = document.getElementById(sheet.id);
  arrived();
  const image = shown.querySelector("img");
  if (image && !image.complete) await image.decode().catch(() => {});
  if (pane().getClientRects().length) scrollTo(shown);
}

function turn(direction) {
  const sheet = inView();
  const url = sheet?.dataset[direction];
  if (url) open(url, (page) => (direction === "next" ? sheet.after(page) : sheet.before(page)));
}

function follow(on) {
  following = on;
  show("[data-follow]", (element) => { element.checked = on; });
}

function copyQuote(button) {
  const marker = document.querySelector("[data-now-marker]").textContent.trim();
  const row = document.getElementById(`cite-${marker}`);
  const quote = row.dataset.quote ?? row.querySelector("blockquote")?.textContent.trim();
  const said = quote ? `“${quote}”` : row.querySelector("[data-pictured]").textContent.trim();
  const text = `${said} (${row.querySelector("[data-cited]").innerText.trim()})`;
  document.dispatchEvent(new CustomEvent("copy:text", { detail: { text, done: button.dataset.copied } }));
}

const addressOf = (place) => `${document.querySelector("[data-sheets]").dataset.sheets}${place}/`;

// Opens the page of a place, "version/page", above those that are here.
function openFirst(place) {
  open(addressOf(place), (page) => sheets().prepend(page));
}

// A page shows the first dozen pages that are quoted; that of a later quote is fetched when it is chosen.
document.addEventListener("source:open", async ({ detail: marker }) => {
  const place = document.getElementById(`cite-${marker}`)?.dataset.place;
  if (!place || !sheets() || document.querySelector(`.sheet[data-place="${place}"]`)) return;
  const hit = () => document.getElementById(`hit-${marker}`);
  // On a phone the pane opens at once: its picture may take seconds, in which nothing would tell that it comes.
  await open(addressOf(place), (page) => sheets().append(page), () => {
    if (hit() && !pane().getClientRects().length) location.hash = `hit-${marker}`;
  });
  if (hit()) document.dispatchEvent(new CustomEvent("go:marker", { detail: marker }));
});

// Hovering shows a page that is here already; a key that goes to a step fetches the page it read.
document.addEventListener("source:show", (event) => {
  const { places, steps } = event.detail;
  const here = [...document.querySelectorAll("#sheets .sheet")].find((sheet) => places.includes(sheet.dataset.place));
  if (!pane()?.getClientRects().length) return;
  const byKey = steps.some(
    (step) => step.contains(document.activeElement) && step.querySelector("summary:focus-visible"),
  );
  if (here) scrollTo(here);
  else if (byKey && places[0]) openFirst(places[0]);
});

document.addEventListener("click", (event) => {
  const leaf = event.target.closest(".map [data-place]");
  if (leaf) openFirst(leaf.dataset.place);
  const link = event.target.closest("a[data-sheet]");
  if (link && pane()?.getClientRects().length) {
    event.preventDefault();
    open(link.dataset.sheet, (page) => sheets().prepend(page));
  }
  const direction = event.target.closest("[data-turn]")?.dataset.turn;
  if (direction) turn(direction);
  const step = Number(event.target.closest("[data-zoom]:not(.sheets)")?.dataset.zoom ?? 0);
  if (step) {
    zoom = Math.min(Math.max(zoom + step, 0), ZOOMS - 1);
    sheets().dataset.zoom = zoom;
  }
  const copying = event.target.closest("[data-copy-quote]");
  if (copying) copyQuote(copying);
});

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-follow]")) follow(event.target.checked);
});

// A reader who chose a page keeps it: a page of the running trace does not replace it, a citation does.
document.addEventListener("htmx:oobBeforeSwap", (event) => {
  if (event.detail.target.id !== "source") return;
  const cited = event.detail.fragment.querySelector(".quotes .cite");
  if (!following && !cited) event.detail.shouldSwap = false;
});

document.addEventListener("live:changed", () => { if (sheets()) sheets().dataset.zoom = zoom; follow(following); });
document.addEventListener("source:look", look);
const lookIfPane = (event) => {
  if (event.target === pane() || event.target === document) look();
};
document.addEventListener("scroll", lookIfPane, { capture: true, passive: true });
addEventListener("hashchange", look);
