// A grid: keyboard, drawer, and sorting, filtering, hiding, statistics and outliers of what the page holds.

const table = document.getElementById("grid");
const drawer = document.getElementById("drawer");

const body = table?.tBodies[0];
const rows = () => [...body.rows].filter((row) => !row.matches(".group"));
const cellOf = (td) => td.querySelector(":scope > .cell");

let current = null;

function focusCell(td) {
  if (!td) return;
  if (current) current.tabIndex = -1;
  current = td;
  td.tabIndex = 0;
  td.focus({ preventScroll: false });
}

function step(td, down, right) {
  const shown = rows().filter((row) => !row.hidden);
  const row = shown[shown.indexOf(td.parentElement) + down];
  let index = td.cellIndex + right;
  while (row?.cells[index]?.hidden) index += right;
  const next = row?.cells[index];
  if (next?.matches("td")) focusCell(next);
}

function open(td, then) {
  const id = cellOf(td)?.id.replace("cell-", "");
  if (!id) return;
  for (const old of body.querySelectorAll("td.on")) old.classList.remove("on");
  td.classList.add("on");
  const address = `${location.pathname}cells/${id}/`;
  window.htmx.ajax("GET", address, { target: "#drawer", swap: "innerHTML" }).then(() => {
    drawer.dataset.open = id;
    td.scrollIntoView({ block: "nearest", inline: "nearest" });
    then?.();
  });
}

function close() {
  drawer.replaceChildren();
  delete drawer.dataset.open;
  body.querySelector("td.on")?.classList.remove("on");
  current?.focus();
}

const MOVES = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] };

function press(event) {
  const td = event.target.closest?.("td[role=gridcell]");
  if (event.key === "Escape" && drawer.childElementCount) return close();
  if (!td || event.target !== td || event.ctrlKey || event.metaKey || event.altKey) return;
  const move = MOVES[event.key];
  if (move) step(td, ...move);
  else if (event.key === "Enter") open(td, () => drawer.querySelector("a, button")?.focus());
  else if (event.key === "e") open(td, edit);
  else if (event.key === "a") open(td, () => drawer.querySelector("[data-accept]")?.click());
  else return;
  event.preventDefault();
  event.stopPropagation();
}

function edit() {
  const form = drawer.querySelector(".correct");
  if (!form) return;
  form.open = true;
  form.querySelector("textarea")?.focus();
}

// Sorting: numbers as numbers, all else as texts; empty cells last.
function keyOf(row, index) {
  const cell = row.cells[index];
  return index ? cellOf(cell)?.dataset.sort ?? "" : cell.textContent.trim().toLowerCase();
}

function comparing(index, falling) {
  const numeric = "numeric" in table.tHead.rows[0].cells[index].dataset;
  const compare = (a, b) => (numeric ? Number(a) - Number(b) : a.localeCompare(b));
  return (a, b) => (!a || !b ? Number(!a) - Number(!b) : falling ? compare(b, a) : compare(a, b));
}

function sortBy(index, header, falling = header.ariaSort === "ascending") {
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  header.ariaSort = falling ? "descending" : "ascending";
  const compare = comparing(index, falling);
  const keyed = rows().map((row) => [keyOf(row, index), row]).sort(([a], [b]) => compare(a, b));
  body.append(...keyed.map(([, row]) => row));
  if (grouped) group(grouped);
}

// Groups: the rows of each value of a column under a heading, in the order in which they stand.
let grouped = 0;

function group(index) {
  grouped = index;
  for (const head of body.querySelectorAll(".group")) head.remove();
  const groups = new Map();
  for (const row of index ? rows() : []) {
    const key = keyOf(row, index);
    groups.set(key, groups.get(key) ?? []);
    groups.get(key).push(row);
  }
  const keys = [...groups.keys()].sort(comparing(index, false));
  body.append(...keys.flatMap((key) => [headingOf(groups.get(key), index), ...groups.get(key)]));
  filter();
}

function headingOf(members, index) {
  const heading = document.createElement("tr");
  const th = document.createElement("th");
  const words = keyOf(members[0], index) && cellOf(members[0].cells[index])?.querySelector("span")?.textContent;
  heading.className = "group";
  heading.role = "row";
  th.role = "rowheader";
  th.colSpan = table.tHead.rows[0].cells.length;
  th.scope = "rowgroup";
  th.textContent = words ? `${words} · ${members.length}` : table.dataset.blank.replace("#", members.length);
  heading.append(th);
  return heading;
}

// Filtering: rows with the words, of which some cell is in the state.
const STATES = {
  verified: (cell) => ["exact", "verified"].includes(cell.dataset.verdict),
  reviewed: (cell) => "reviewed" in cell.dataset,
  unreviewed: (cell) => !("reviewed" in cell.dataset),
};

function filter() {
  const words = document.getElementById("grid-find").value.trim().toLowerCase();
  const state = document.getElementById("grid-state").value;
  const fits = STATES[state] ?? ((cell) => cell.dataset.state === state);
  for (const row of rows()) {
    const cells = [...row.querySelectorAll(".cell")];
    row.hidden = !row.textContent.toLowerCase().includes(words) || Boolean(state && !cells.some(fits));
  }
  for (const heading of body.querySelectorAll(".group")) {
    let row = heading.nextElementSibling;
    while (row?.hidden && !row.matches(".group")) row = row.nextElementSibling;
    heading.hidden = !row || row.matches(".group");
  }
  const shown = document.getElementById("grid-shown");
  const count = rows().filter((row) => !row.hidden).length;
  shown.textContent = count === rows().length ? "" : shown.dataset.words.replace("#", count);
  summarise();
}

function hide(index, hidden) {
  for (const row of table.rows) if (row.cells[index]) row.cells[index].hidden = hidden;
}

// Statistics and outliers: of numbers sum, median and range; else how often each value stands.
const middle = (numbers) => {
  const sorted = [...numbers].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
};
const short = new Intl.NumberFormat(document.documentElement.lang, { notation: "compact", maximumFractionDigits: 2 });
const LEAST = 5;

function summarise() {
  const foot = table.tFoot;
  if (!foot) return;
  foot.hidden = false;
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, index) => {
    if (!index) return;
    const cells = rows().filter((row) => !row.hidden).map((row) => cellOf(row.cells[index])).filter(Boolean);
    foot.rows[0].cells[index].textContent = "numeric" in head.dataset ? ofNumbers(cells, head) : ofWords(cells, head);
  });
}

function ofNumbers(cells, head) {
  const found = cells.filter((cell) => "number" in cell.dataset);
  const numbers = found.map((cell) => Number(cell.dataset.sort));
  markOutliers(cells, found, numbers);
  const others = cells.filter((cell) => "other" in cell.dataset).length;
  const other = others ? table.dataset.other.replace("#", others) : "";
  const blank = cells.length - numbers.length - others;
  if (!numbers.length) return [other, blanks(blank)].filter(Boolean).join(" · ");
  // Shares of different wholes add up to nothing.
  const sum = head.dataset.kind === "percent" ? "" : `Σ ${short.format(numbers.reduce((a, b) => a + b, 0))}`;
  const range = `${short.format(Math.min(...numbers))} … ${short.format(Math.max(...numbers))}`;
  const median = table.dataset.median.replace("#", short.format(middle(numbers)));
  return [sum, median, range, other, blanks(blank)].filter(Boolean).join(" · ");
}

// A value further than three and a half median deviations from the median (Iglewicz and Hoaglin) differs.
function markOutliers(cells, found, numbers) {
  for (const cell of cells) cell.parentElement.classList.remove("outlier");
  if (numbers.length < LEAST) return;
  const median = middle(numbers);
  const spread = middle(numbers.map((number) => Math.abs(number - median)));
  found.forEach((cell, at) => {
    const away = 0.6745 * Math.abs(numbers[at] - median);
    cell.parentElement.classList.toggle("outlier", spread > 0 && away > 3.5 * spread);
  });
}

function ofWords(cells, head) {
  const counts = new Map();
  for (const cell of cells) {
    // The closest passage is no answer, so it does not count.
    const word = cell.dataset.state === "passages" ? "" : cell.dataset.sort;
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const blank = counts.get("") ?? 0;
  counts.delete("");
  const filled = cells.length - blank;
  const isRare = filled >= LEAST && blank * 4 <= filled;
  for (const cell of cells) {
    cell.parentElement.classList.toggle("outlier", isRare && cell.dataset.state === "not_found");
  }
  const parts = ["yes_no", "choice"].includes(head.dataset.kind)
    ? [...counts].sort((a, b) => b[1] - a[1]).slice(0, 4).map(([word, count]) => `${word} ${count}`)
    : [String(filled)];
  return [...parts, blanks(blank)].filter(Boolean).join(" · ");
}

const blanks = (count) => (count ? table.dataset.blank.replace("#", count) : "");

if (table) {
  body.addEventListener("click", (event) => {
    const td = event.target.closest("td[role=gridcell]");
    if (!td || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    focusCell(td);
    open(td);
  });
  document.addEventListener("keydown", press, true);
  table.tHead.addEventListener("click", (event) => {
    const button = event.target.closest("[data-sort-by]");
    if (button) sortBy(Number(button.dataset.sortBy), button.closest("th"));
  });
  document.getElementById("grid-find").addEventListener("input", filter);
  document.getElementById("grid-state").addEventListener("change", filter);
  document.getElementById("grid-group").addEventListener("change", (event) => group(Number(event.target.value)));
  document.addEventListener("change", (event) => {
    if (event.target.matches("[data-column]")) hide(Number(event.target.dataset.column), !event.target.checked);
  });
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-drawer-close]")) return;
    event.preventDefault();
    close();
  });
  // The rows that a large grid's page did not hold.
  body.addEventListener("htmx:afterSwap", (event) => {
    if (event.target !== body) return;
    const header = table.querySelector("thead [aria-sort]");
    if (header) sortBy(header.cellIndex, header, header.ariaSort === "descending");
    group(grouped);
    for (const box of document.querySelectorAll("[data-column]:not(:checked)")) hide(Number(box.dataset.column), true);
  });
  // A cell that came in while its drawer is open is shown there.
  document.addEventListener("htmx:wsAfterMessage", () => {
    summarise();
    const td = body.querySelector("td.on");
    if (td && drawer.querySelector("[data-waits]")) open(td);
  });
  const first = body.querySelector("td");
  if (first) first.tabIndex = 0;
  current = first;
  summarise();
}
