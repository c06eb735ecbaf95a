// The outline: find a section by words of its title, walk it with the arrow keys.

const outline = document.querySelector("[data-outline]");
const links = () => [...outline.querySelectorAll("a")].filter((link) => link.getClientRects().length);

document.querySelector("[data-outline-filter]")?.addEventListener("input", (event) => {
  const words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const item of [...outline.querySelectorAll("li")].reverse()) {
    const own = item.querySelector(":scope > a").textContent.toLowerCase();
    const below = [...item.querySelectorAll(":scope > ul > li")].some((child) => !child.hidden);
    item.hidden = !below && !words.every((word) => own.includes(word));
  }
});

outline?.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const all = links();
  all[Math.min(Math.max(all.indexOf(document.activeElement) + step, 0), all.length - 1)]?.focus();
});

outline?.querySelector("[aria-current]")?.scrollIntoView({ block: "center" });
