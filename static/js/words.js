// The words of a page's picture, laid over it once it is there, so that they can be selected and copied.

async function lay(picture) {
  const drawn = picture.closest(".drawn[data-words]");
  if (!drawn || drawn.querySelector(".words")) return;
  const address = drawn.dataset.words;
  delete drawn.dataset.words; // asked for once, whatever comes of it
  const reply = await fetch(address, { credentials: "same-origin" }).catch(() => null);
  if (!reply?.ok) return; // the page's text view has the words
  const holder = document.createElement("template");
  holder.innerHTML = await reply.text();
  const words = holder.content.querySelector("svg");
  if (words) picture.after(words);
}

// Loads of pictures do not bubble; those of sheets that come later are heard too.
document.addEventListener("load", (event) => { if (event.target.matches?.(".drawn > img")) lay(event.target); }, true);
for (const picture of document.querySelectorAll(".drawn > img")) if (picture.complete) lay(picture);
