// Keeps the reader's place while fragments arrive: focus and opened maps; and tells steps to those who listen.

const QUIET = 1000;
let held = null;
let told = performance.now();
let waiting = 0;

const order = (step) => Number(step.dataset.sequence);
const newest = () => [...document.querySelectorAll("#steps .step.done")].sort((a, b) => order(a) - order(b)).at(-1);
let heard = newest()?.id;

function say() {
  waiting = 0;
  const step = newest();
  const place = document.getElementById("heard");
  if (!place || !step || step.id === heard) return;
  heard = step.id;
  told = performance.now();
  const number = step.querySelector(".facts b").textContent.trim().split(/\s/)[0];
  place.textContent = `${place.dataset.step.replace("#", number)} ${step.querySelector(".say > span").textContent}`;
}

document.addEventListener("live:changed", () => {
  const count = document.querySelector("[data-step-count]");
  if (count) count.textContent = document.querySelectorAll("#steps .step.done").length;
});

// Several steps within a second are told as the last of them.
document.addEventListener("live:changed", () => {
  if (!waiting) waiting = setTimeout(say, Math.max(0, QUIET - (performance.now() - told)));
});

function nameOf(element) {
  if (element.id) return `#${CSS.escape(element.id)}`;
  const name = ["turn", "zoom", "marker", "key", "sheet"].find((part) => part in element.dataset);
  return name ? `[data-${name}="${CSS.escape(element.dataset[name])}"]` : ".pane-body";
}

const openMaps = () =>
  new Map([...document.querySelectorAll("#maps details")].map((map, number) => [number, map.open]));
let chosen = null;

document.addEventListener("click", (event) => {
  if (event.target.closest("#maps summary")) setTimeout(() => { chosen = openMaps(); });
});

document.addEventListener("htmx:wsBeforeMessage", () => {
  const element = document.activeElement;
  held = null;
  if (element && element !== document.body) {
    held = { element, name: nameOf(element), pane: element.closest(".pane") };
  }
});

document.addEventListener("htmx:wsAfterMessage", () => {
  if (chosen) {
    document.querySelectorAll("#maps details").forEach((map, number) => {
      map.open = chosen.get(number) ?? map.open;
    });
  }
  if (!held || held.element.isConnected) return;
  const pane = document.getElementById(held.pane?.id ?? "");
  (pane?.querySelector(held.name) ?? pane?.querySelector(".pane-body"))?.focus({ preventScroll: true });
});
