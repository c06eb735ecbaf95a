// One number, three places: choosing a citation lights it in the step, in the sentence and on the page.

const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
const HOVER_DELAY = 180;
let chosen = 0;
let within = null;

function markers() {
  const cites = $$("#passages .cite, #quotes .cite, .source .quotes .cite");
  return [...new Set(cites.map((cite) => Number(cite.dataset.marker)))].sort((one, other) => one - other);
}

// A quote that was not found supports nothing: the page opens on the first that was.
function firstMarker() {
  const lost = (marker) => $$(`.cite.lost[data-marker="${marker}"]`).length > 0;
  return markers().find((marker) => !lost(marker)) ?? markers()[0];
}

// The pages of a shared run stand below its answer on a phone: links go there, and the browser's way back returns.
function sourceIsBeside() {
  const source = document.querySelector(".source");
  const below = source?.matches(".shared .source") && getComputedStyle(source).position === "static";
  return source?.getClientRects().length > 0 && !below;
}

function light(marker) {
  const text = String(marker);
  for (const element of $$(".cite[data-marker], .hit[data-marker], .tab[data-marker]")) {
    element.classList.toggle("on", element.dataset.marker === text);
  }
  for (const flag of $$(".flags g")) {
    const on = flag.dataset.marker === text;
    flag.classList.toggle("on", on);
    flag.classList.toggle("off", !on);
  }
  const claims = $$(".claim").filter((claim) => claim.querySelector(`.cite[data-marker="${text}"]`));
  const lit = claims.includes(within) ? within : claims[0];
  for (const claim of $$(".claim")) claim.classList.toggle("lit", claim === lit);
  for (const step of $$(".step[data-markers]")) {
    step.classList.toggle("cited", step.dataset.markers.split(" ").includes(text));
  }
}

function describe(marker) {
  const row = document.getElementById(`cite-${marker}`);
  const now = document.getElementById("quote-now");
  if (!row || !now) return;
  now.querySelector("[data-now-marker]").textContent = marker;
  const place = row.querySelector("[data-cited]").firstElementChild;
  now.querySelector("[data-now-where]").textContent = place.textContent.replace(/\s+/g, " ").trim();
  // A closest passage has no badge: it is a quote that supports nothing.
  const check = row.querySelector(".badge")?.cloneNode(true) ?? document.createElement("span");
  check.dataset.nowCheck = "";
  now.querySelector("[data-now-check]").replaceWith(check);
}

function bring(element, block = "nearest") {
  element?.scrollIntoView({ block, inline: "nearest" });
}

// Scrolls the source pane alone: scrollIntoView would move the page around it as well. On a phone it is the page that
// scrolls.
function bringHit(marker) {
  const hit = document.getElementById(`hit-${marker}`);
  const pane = hit?.closest(".pane-body, .shared .source");
  if (!pane) return openPage(marker);
  if (pane.matches(".pane-body") && getComputedStyle(pane).overflowY === "visible") {
    return hit.scrollIntoView({ block: "center" });
  }
  if (pane.scrollHeight <= pane.clientHeight) return;
  const box = hit.getBoundingClientRect();
  const frame = pane.getBoundingClientRect();
  if (box.top >= frame.top && box.bottom <= frame.bottom) return;
  pane.scrollTop += box.top - frame.top - Math.max((frame.height - box.height) / 3, 24);
}

function openPage(marker) {
  document.dispatchEvent(new CustomEvent("source:open", { detail: marker }));
}

function choose(marker, { source = true, answer = false, claim = null } = {}) {
  if (!marker) return;
  within = claim;
  chosen = marker;
  light(marker);
  describe(marker);
  if (source && sourceIsBeside()) bringHit(marker);
  if (answer) bring(document.querySelector(".claim.lit"));
  document.dispatchEvent(new CustomEvent("source:look"));
}

function clearTarget() {
  if (/^#hit-\d+$/.test(location.hash) && sourceIsBeside()) {
    history.replaceState(history.state, "", location.pathname + location.search);
  }
}

// What was pressed stays: a quote that the pointer rested on before does not come up after it.
let waiting = 0;
document.addEventListener("click", (event) => {
  clearTimeout(waiting);
  const cite = event.target.closest(".cite[data-marker], .hit[data-marker]");
  if (!cite) return;
  const marker = Number(cite.dataset.marker);
  if (cite.matches(".cite:not(.lost)") && (sourceIsBeside() || !document.getElementById(`hit-${marker}`))) {
    event.preventDefault();
    clearTarget();
    if (!sourceIsBeside()) openPage(marker);
  }
  choose(marker, { answer: cite.matches(".hit"), claim: cite.closest(".claim") });
});

document.addEventListener("pointerover", (event) => {
  if (event.pointerType !== "mouse") return;
  clearTimeout(waiting);
  const cite = event.target.closest?.(".answer .cite[data-marker]");
  if (cite && Number(cite.dataset.marker) !== chosen) {
    const light = () => choose(Number(cite.dataset.marker), { claim: cite.closest(".claim") });
    waiting = setTimeout(light, HOVER_DELAY);
  }
});

document.addEventListener("go:citation", (event) => {
  const all = markers();
  const next = all.indexOf(chosen) + event.detail;
  choose(all[(next + all.length) % all.length], { answer: true });
});
document.addEventListener("go:marker", (event) => {
  if (markers().includes(event.detail)) choose(event.detail, { answer: true });
});

// Steps: j and k go on from the one last visited; the page it read comes up beside it.
let visited = "";
document.addEventListener("go:step", (event) => {
  const rows = $$("#steps :is(.step, .of) > details > summary");
  if (!rows.length) return;
  if (!rows.some((row) => row.getClientRects().length)) location.hash = "trace";
  const all = rows.filter((row) => row.checkVisibility());
  const here = all.findIndex((summary) => summary === document.activeElement);
  const at = here < 0 ? all.findIndex((summary) => summary.closest(".step, .of").id === visited) : here;
  const next = at < 0 && event.detail < 0 ? all.length - 1 : Math.min(Math.max(at + event.detail, 0), all.length - 1);
  visited = all[next].closest(".step, .of").id;
  all[next].focus();
});

// The lit sentence with its quotes, as plain text.
document.addEventListener("go:copy", () => {
  const claim = document.querySelector(".claim.lit") ?? document.querySelector(".claim");
  if (!claim) return;
  const quotes = $$(".cite", claim).map((cite) => {
    const row = document.getElementById(`cite-${cite.dataset.marker}`);
    const where = row?.querySelector("[data-cited]").textContent.replace(/\s+/g, " ").trim();
    const quote = row?.querySelector("blockquote")?.textContent.trim();
    const said = quote ? `“${quote}”` : row?.querySelector("[data-pictured]").textContent.trim();
    return row ? `[${cite.dataset.marker}] ${said} (${where})` : "";
  });
  const text = [claim.querySelector(".said").textContent.trim(), ...quotes].filter(Boolean).join("\n");
  const done = document.getElementById("claims").dataset.copied;
  document.dispatchEvent(new CustomEvent("copy:text", { detail: { text, done } }));
});

document.addEventListener("go:clear", () => {
  chosen = 0;
  light(0);
});

// A step that came before its quotes were cited gets their tabs as soon as a list of quotes or passages names it.
function tabSteps() {
  for (const row of $$("#quotes > li, #passages > li")) {
    const step = document.getElementById(row.querySelector('.fact a[href^="#step-"]')?.hash.slice(1) ?? "");
    const marker = row.id.replace("cite-", "");
    const known = step?.dataset.markers?.split(" ") ?? [];
    if (!step || known.includes(marker)) continue;
    step.dataset.markers = [...known, marker].join(" ");
    const line = step.querySelector(".say");
    const made = () => Object.assign(document.createElement("span"), { className: "tabs-here" });
    const tabs = line.querySelector(".tabs-here") ?? line.appendChild(made());
    const tab = Object.assign(document.createElement("span"), { className: "tab", textContent: marker });
    tab.dataset.marker = marker;
    tabs.insertBefore(tab, $$(".tab", tabs).find((other) => Number(other.textContent) > Number(marker)) ?? null);
  }
}

// A source that was drawn anew begins at its top: the lit quote is brought back into view.
let drawn = document.getElementById("sheets");
document.addEventListener("live:changed", () => {
  tabSteps();
  const all = markers();
  const redrawn = drawn !== document.getElementById("sheets");
  drawn = document.getElementById("sheets");
  if (chosen && all.includes(chosen) && !redrawn) light(chosen);
  else if (all.length) choose(all.includes(chosen) ? chosen : firstMarker());
});

// On a phone the bar below leads to the source: to the quote that is lit there, not to the first page.
document.addEventListener("click", (event) => {
  if (!event.target.closest('.pane-tabs [href="#source"]') || !document.getElementById(`hit-${chosen}`)) return;
  event.preventDefault();
  location.hash = `hit-${chosen}`;
});

const asked = /^#hit-(\d+)$/.exec(location.hash);
choose(asked ? Number(asked[1]) : firstMarker());
clearTarget();
