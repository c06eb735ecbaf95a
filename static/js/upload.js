// Uploads: one request for each file, two at a time, each with its own progress, reason, retry and cancel.

import { sendInPieces } from "./pieces.js";

const AT_ONCE = 2;
const UNDONE = "#uploads .wrong, #same-names, #uploads [data-retry]:not([hidden])";
const waiting = [];
let busy = 0;

function row(name) {
  const item = document.getElementById("upload-item").content.firstElementChild.cloneNode(true);
  item.querySelector("[data-name]").textContent = name;
  document.getElementById("uploads").prepend(item);
  return item;
}

function progress(item, share) {
  item.querySelector("rect").setAttribute("width", Math.round(share * 100));
  const state = item.querySelector("[data-state]");
  state.textContent = share < 1 ? state.dataset.sending.replace("#", Math.round(share * 100)) : state.dataset.storing;
}

const held = (question) => [...question.querySelectorAll("[name=uploads]")].map((field) => field.value);

function finish(item, form, html) {
  const holder = document.createElement("template");
  holder.innerHTML = html;
  const results = [...holder.content.children].filter((child) => child.matches("li"));
  // The question about files of known names is one, and stands where its newest file was. Of two answers that
  // overtook each other the one that knows of more files stays.
  const asked = results.findIndex((result) => result.id);
  const standing = document.getElementById(results[asked]?.id);
  if (standing && held(results[asked]).every((upload) => held(standing).includes(upload))) {
    results.splice(asked, 1, standing);
  }
  standing?.remove();
  if (results.length) {
    item.replaceWith(...results);
    for (const result of results) window.htmx.process(result);
  } else fail(item, holder.content.querySelector("[role=alert] span")?.textContent);
  next(form);
}

// The server's own sentence, where it gave one: the file is too large, or the session has ended.
function fail(item, sentence) {
  const state = item.querySelector("[data-state]");
  state.textContent = sentence || state.dataset.failed;
  item.querySelector("[data-retry]").hidden = false;
}

function next(form) {
  busy -= 1;
  if (waiting.length) waiting.shift()();
  else if (!busy && form.dataset.then) {
    if (!document.querySelector(UNDONE)) location.href = form.dataset.then;
    else offerToGoOn();
  }
}

// What was refused is to be read first; with what came one can go on.
function offerToGoOn() {
  const link = document.getElementById("go-on");
  if (link) link.hidden = !document.querySelector("#uploads a.main");
}

function offerRetry(form, file, item) {
  const retry = item.querySelector("[data-retry]");
  retry.onclick = () => {
    retry.hidden = true;
    queue(form, file, item);
  };
}

// A file larger than one piece goes on where it stopped when the line is cut.
async function sendLarge(form, file, item) {
  busy += 1;
  const stop = new AbortController();
  const state = item.querySelector("[data-state]");
  let share = 0;
  item.querySelector("[data-cancel]").onclick = () => stop.abort();
  offerRetry(form, file, item);
  try {
    const html = await sendInPieces(form, file, {
      signal: stop.signal,
      told: (now) => { share = now; progress(item, share); },
      broken: () => { state.textContent = state.dataset.broken.replace("#", Math.round(share * 100)); },
    });
    finish(item, form, html);
  } catch (error) {
    if (stop.signal.aborted) item.remove();
    else fail(item);
    next(form);
  }
}

function send(form, file, item) {
  if (form.dataset.begin && file.size > Number(form.dataset.piece)) {
    sendLarge(form, file, item);
    return;
  }
  busy += 1;
  const body = new FormData();
  for (const field of form.querySelectorAll("input[type=hidden]")) body.append(field.name, field.value);
  body.append("files", file);
  const request = new XMLHttpRequest();
  request.open("POST", form.action);
  request.setRequestHeader("HX-Request", "true");
  request.setRequestHeader("X-CSRFToken", body.get("csrfmiddlewaretoken"));
  request.upload.addEventListener("progress", (event) => {
    if (event.lengthComputable) progress(item, event.loaded / event.total);
  });
  request.addEventListener("load", () => finish(item, form, request.responseText));
  request.addEventListener("error", () => { fail(item); next(form); });
  request.addEventListener("abort", () => { item.remove(); next(form); });
  item.querySelector("[data-cancel]").onclick = () => request.abort();
  offerRetry(form, file, item);
  request.send(body);
}

function queue(form, file, item) {
  if (busy < AT_ONCE) send(form, file, item);
  else waiting.push(() => send(form, file, item));
}

// What is wrong with a file before a byte of it is sent, or "".
function refusal(form, file, state) {
  if (!file.size) return state.dataset.empty;
  return file.size > Number(form.dataset.most || Infinity) ? state.dataset.large : "";
}

function take(form, files) {
  for (const file of files) {
    const item = row(file.name);
    const state = item.querySelector("[data-state]");
    const sentence = refusal(form, file, state);
    if (!sentence) queue(form, file, item);
    else {
      state.textContent = sentence;
      state.classList.add("wrong");
      item.querySelector(".bar").remove();
      const close = item.querySelector("[data-cancel]");
      close.title = close.querySelector(".sr").textContent = close.dataset.close;
      close.onclick = () => item.remove();
    }
  }
}

for (const form of document.querySelectorAll("form[data-upload]")) {
  form.addEventListener("change", (event) => {
    if (event.target.type !== "file") return;
    take(form, [...event.target.files]);
    event.target.value = "";
  });
  const target = "anywhere" in form.dataset ? document.body : form;
  let depth = 0;
  const over = (on) => form.classList.toggle("over", on);
  const isFiles = (event) => event.dataTransfer?.types.includes("Files");
  target.addEventListener("dragenter", (event) => { if (isFiles(event)) { depth += 1; over(true); } });
  target.addEventListener("dragleave", (event) => { if (isFiles(event) && --depth <= 0) { depth = 0; over(false); } });
  target.addEventListener("dragover", (event) => { if (isFiles(event)) event.preventDefault(); });
  target.addEventListener("drop", (event) => {
    if (!isFiles(event)) return;
    event.preventDefault();
    depth = 0;
    over(false);
    take(form, [...event.dataTransfer.files]);
  });
}
