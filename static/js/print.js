// The printable page: its button, and all steps opened before it prints.

document.querySelector("[data-print]")?.addEventListener("click", () => print());
addEventListener("beforeprint", () => {
  for (const step of document.querySelectorAll(":is(.step, .of) > details")) step.open = true;
});
