// Choosing documents: in the ask box, and the rows of the list for one act on many.

function label(element, count) {
  const { none, one, many } = element.dataset;
  element.textContent = count === 0 ? none ?? "" : count === 1 ? one : many.replace("#", count);
}

function chosenIn(box) {
  const ticked = box.querySelectorAll('input[name="documents"]:checked').length;
  const only = box.querySelector('input[value="documents"]');
  only.checked = ticked > 0;
  if (!ticked) {
    const all = box.closest("form").querySelector('input[name="scope"][value="all"]');
    if (all && !box.closest("form").querySelector('input[name="scope"]:checked')) all.checked = true;
  }
  label(box.querySelector("[data-chosen]"), ticked);
  box.querySelector("summary").classList.toggle("on", ticked > 0);
}

function bulk() {
  const bar = document.querySelector("[data-bulk]");
  if (!bar) return;
  const boxes = [...document.querySelectorAll('#documents input[name="documents"]')];
  const ticked = boxes.filter((box) => box.checked).length;
  bar.hidden = ticked === 0;
  label(bar.querySelector("[data-count]"), ticked);
  const all = document.querySelector("[data-all]");
  all.checked = ticked > 0 && ticked === boxes.length;
  all.indeterminate = ticked > 0 && ticked < boxes.length;
}

document.addEventListener("change", (event) => {
  const box = event.target.closest("[data-choose]");
  if (box && event.target.name === "documents") chosenIn(box);
  if (event.target.matches("[data-all]")) {
    for (const row of document.querySelectorAll('#documents input[name="documents"]')) {
      row.checked = event.target.checked;
    }
  }
  bulk();
});

// Enter in the search for documents searches; it does not ask.
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && event.target.matches("[data-find-choice]")) event.preventDefault();
});

document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-clear]")) return;
  for (const row of document.querySelectorAll('#documents input[name="documents"]')) row.checked = false;
  bulk();
});

document.addEventListener("htmx:afterSwap", bulk);
bulk();
