// Single-key shortcuts. An element says its key with data-key ("s", "g d");
// off inside fields, and by the reader's choice.

const STORE = "shortcuts";
const MOVES = { j: ["step", 1], k: ["step", -1], "]": ["citation", 1], "[": ["citation", -1], c: ["copy"] };
let prefix = "";

function typing(target) {
  return target.closest("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]");
}

function shown(element) {
  return element.getClientRects().length > 0;
}

function use(key) {
  const element = [...document.querySelectorAll(`[data-key="${CSS.escape(key)}"]`)].find(shown)
    ?? document.querySelector(`a[data-key="${CSS.escape(key)}"]`);
  if (!element || element.disabled) return false;
  if (element.matches("input, textarea")) element.focus();
  else element.click();
  return true;
}

function escape(target) {
  const menu = target.closest("details.menu[open]") ?? document.querySelector("details.menu[open]");
  if (menu) {
    menu.open = false;
    menu.querySelector("summary").focus();
  } else if (typing(target)) target.blur();
  else if (document.querySelector(".run")) backToAnswer();
}

function backToAnswer() {
  move("clear");
  if (!shown(document.getElementById("answer"))) location.hash = "answer";
  document.querySelector("#answer .pane-body").focus();
}

function move(name, detail) {
  for (const menu of document.querySelectorAll("details.menu[open]")) menu.open = false;
  document.dispatchEvent(new CustomEvent(`go:${name}`, { detail }));
}

// The list of keys lies over the page; without a script its button leads to the page of help.
const list = document.getElementById("keys-list");
document.addEventListener("click", (event) => {
  if (event.target === list || event.target.closest("[data-close]")) list?.close();
  const opener = event.target.closest("[data-dialog]");
  if (!opener || !list || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  list.showModal();
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (list?.open) {
    if (event.key === "?") list.close();
    return;
  }
  if (event.key === "Escape") return escape(event.target);
  if (typing(event.target) || localStorage.getItem(STORE) === "off") return;
  const key = prefix + event.key;
  prefix = event.key === "g" && !prefix ? "g " : "";
  if (prefix) return;
  if (MOVES[key]) move(...MOVES[key]);
  else if (/^[1-9]$/.test(key)) move("marker", Number(key));
  else if (!use(key)) return;
  event.preventDefault();
});

for (const choice of document.querySelectorAll("[data-keys-switch]")) {
  choice.checked = localStorage.getItem(STORE) !== "off";
  choice.addEventListener("change", () => localStorage.setItem(STORE, choice.checked ? "on" : "off"));
}
