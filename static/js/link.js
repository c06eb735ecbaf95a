// One instrument: what the pointer or the focus is on lights all that belongs to it,
// from sentence to citation, quote, step, dot of the map and page, in every direction.

const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
const SEEDS = [
  ".cite[data-marker]",
  ".hit[data-marker]",
  ".tab[data-marker]",
  ".claim",
  "#quotes > li",
  ".map [data-from]",
  ".map [data-place]",
  "a[data-sheet]",
  "#steps .step",
  ".sheet[data-place]",
].join(", ");
const SHOW_DELAY = 400;
let seed = null;
let showing = 0;

const within = (node, dot) => {
  const [version, key] = node.split("/");
  if (dot.closest(".map").dataset.version !== version) return false;
  return Number(key) >= Number(dot.dataset.from) && Number(key) < Number(dot.dataset.to);
};
const placeOf = (link) => /sheet\/(\d+\/\d+)\//.exec(link.dataset.sheet)?.[1] ?? "";
const placesOf = (step) => $$("a[data-sheet]", step).map(placeOf);
const nodesOf = (step) => $$("[data-node]", step).map((row) => row.dataset.node);
const quotesWhere = (fits) => $$("#quotes > li").filter(fits).map((row) => row.id.replace("cite-", ""));
const stepsWhere = (fits) => $$("#steps .step").filter(fits);

function ofMarkers(markers) {
  const quotes = markers.map((marker) => document.getElementById(`cite-${marker}`)).filter(Boolean);
  return {
    markers,
    steps: stepsWhere((step) => step.dataset.markers?.split(" ").some((marker) => markers.includes(marker))),
    places: quotes.map((row) => row.dataset.place).filter(Boolean),
    nodes: quotes.map((row) => row.dataset.node).filter(Boolean),
  };
}

function ofStep(step) {
  const markers = step.dataset.markers?.split(" ") ?? [];
  return { markers, steps: [step], places: placesOf(step), nodes: nodesOf(step) };
}

function ofPlace(place) {
  return {
    markers: quotesWhere((row) => row.dataset.place === place),
    steps: stepsWhere((step) => placesOf(step).includes(place)),
    places: [place],
    nodes: [],
  };
}

function ofDot(dot) {
  const quotes = $$("#quotes > li").filter((row) => row.dataset.node && within(row.dataset.node, dot));
  return {
    markers: quotes.map((row) => row.id.replace("cite-", "")),
    steps: stepsWhere((step) => nodesOf(step).some((node) => within(node, dot))),
    places: quotes.map((row) => row.dataset.place),
    nodes: quotes.map((row) => row.dataset.node),
    dot,
  };
}

function related(element) {
  if (element.dataset.marker) return ofMarkers([element.dataset.marker]);
  if (element.matches(".claim")) return ofMarkers($$(".cite", element).map((cite) => cite.dataset.marker));
  if (element.matches("#quotes > li")) return ofMarkers([element.id.replace("cite-", "")]);
  if (element.matches("[data-from]")) return ofDot(element);
  if (element.matches("a[data-sheet]")) return ofPlace(placeOf(element));
  return element.matches(".step") ? ofStep(element) : ofPlace(element.dataset.place);
}

// The dot of a node is the smallest section of the map that holds it.
function dotOf(node) {
  const holding = $$(".map [data-from]").filter((dot) => within(node, dot));
  return holding.sort((a, b) => (a.dataset.to - a.dataset.from) - (b.dataset.to - b.dataset.from))[0];
}

function elementsOf({ markers, steps, places, nodes, dot }) {
  const marked = markers.flatMap((marker) => [
    ...$$(`[data-marker="${marker}"]`),
    ...$$(".claim").filter((claim) => claim.querySelector(`.cite[data-marker="${marker}"]`)),
    document.getElementById(`cite-${marker}`),
  ]);
  const placed = $$(".map [data-place], .sheet[data-place]")
    .filter((element) => places.includes(element.dataset.place));
  return [...marked, ...steps, ...placed, ...nodes.map(dotOf), dot].filter(Boolean);
}

function light(element) {
  if (element === seed) return;
  seed = element;
  clearTimeout(showing);
  for (const lit of $$(".near")) lit.classList.remove("near");
  if (!element) return;
  const found = related(element);
  for (const part of elementsOf(found)) part.classList.add("near");
  if (element.closest(".trace") && found.places.length) {
    showing = setTimeout(() => document.dispatchEvent(new CustomEvent("source:show", { detail: found })), SHOW_DELAY);
  }
}

const focused = () => document.activeElement?.closest?.(SEEDS) ?? null;
document.addEventListener("pointerover", (event) => {
  if (event.pointerType === "mouse") light(event.target.closest?.(SEEDS) ?? focused());
});
document.addEventListener("pointerleave", () => light(focused()));
document.addEventListener("focusin", (event) => light(event.target.closest?.(SEEDS) ?? null));
document.addEventListener("focusout", (event) => { if (!event.relatedTarget) light(null); });
document.addEventListener("go:clear", () => light(null));
document.addEventListener("live:changed", () => {
  const again = seed?.isConnected ? seed : focused();
  seed = null;
  light(again);
});
