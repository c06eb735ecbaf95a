// Single-key shortcuts. An element says its key with data-key ("s", "g d"); off inside fields, and by the reader's choice.

const STORE = "shortcuts";
const MOVES = { j: ["step", 1], k: ["step", -1], "]": ["citation", 1], "[": ["citation", -1] };
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
  else if (document.querySelector(".run")) location.hash = "answer";
}

function move(name, detail) {
  document.dispatchEvent(new CustomEvent(`go:${name}`, { detail }));
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
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

const choice = document.querySelector("[data-keys-switch]");
if (choice) {
  choice.checked = localStorage.getItem(STORE) !== "off";
  choice.addEventListener("change", () => localStorage.setItem(STORE, choice.checked ? "on" : "off"));
}
