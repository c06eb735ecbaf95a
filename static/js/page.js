// What every page has: appearance, menus, running clocks, times in the reader's zone, notices, small form habits.

const SECOND = 1000;

function enable(root) {
  const marked = [...root.querySelectorAll("[data-enable]")];
  if (root.matches?.("[data-enable]")) marked.push(root);
  for (const element of marked) element.hidden = false;
  localTimes(root);
}

// The zone chosen in the profile, else the browser's own, which also stands in for one that it does not know.
function chosenZone() {
  const timeZone = document.documentElement.dataset.zone;
  try {
    new Intl.DateTimeFormat(undefined, { timeZone });
    return timeZone;
  } catch {
    return undefined;
  }
}

function localTimes(root) {
  const timeZone = chosenZone();
  const dayOf = (moment) => moment.toLocaleDateString(undefined, { timeZone });
  const today = dayOf(new Date());
  for (const element of root.querySelectorAll("time[datetime]")) {
    const moment = new Date(element.dateTime);
    element.title = moment.toLocaleString(undefined, { dateStyle: "full", timeStyle: "long", timeZone });
    const shown = /(\d\d:\d\d)$/.exec(element.textContent);
    if (!shown || dayOf(moment) !== today) continue;
    const clock = moment.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit", hour12: false, timeZone });
    element.textContent = element.textContent.replace(shown[1], clock);
  }
}

// Clocks count on from the seconds the server measured, so a wrong clock on either side does no harm.
const started = new WeakMap();

function tick() {
  for (const element of document.querySelectorAll("[data-elapsed]")) {
    if (!started.has(element)) started.set(element, performance.now() - Number(element.dataset.elapsed) * SECOND);
    const seconds = (performance.now() - started.get(element)) / SECOND;
    element.textContent = seconds < 60
      ? `${seconds.toFixed(1)}\u00a0s`
      : `${Math.floor(seconds / 60)}\u00a0min ${String(Math.floor(seconds % 60)).padStart(2, "0")}\u00a0s`;
  }
}

function setTheme(theme) {
  const life = theme ? 31536000 : 0;
  document.cookie = `theme=${theme}; path=/; max-age=${life}; samesite=lax`;
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}

function toast(html) {
  const list = document.getElementById("toasts");
  if (!list) return false;
  const holder = document.createElement("template");
  holder.innerHTML = html;
  const item = holder.content.querySelector(".toast");
  if (!item) return false;
  document.getElementById(item.id || "-")?.remove();
  list.append(item);
  setTimeout(() => item.remove(), 12 * SECOND);
  return true;
}

// Screen readers read aloud what comes into a live region, and not what was in it when the page came.
function announceToasts() {
  const list = document.getElementById("toasts");
  const items = [...(list?.children ?? [])];
  for (const item of items) item.remove();
  setTimeout(() => list?.prepend(...items), SECOND / 5);
}

function say(text) {
  const item = document.createElement("div");
  item.className = "toast";
  item.append(Object.assign(document.createElement("span"), { textContent: text }));
  toast(item.outerHTML);
}

document.addEventListener("click", (event) => {
  const theme = event.target.closest("[data-theme-set]");
  if (theme) setTheme(theme.dataset.themeSet);
  event.target.closest("[data-dismiss]")?.closest(".toast, .notice, .uploads > li")?.remove();
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  await copy(document.querySelector(button.dataset.copy).value);
  say(button.dataset.copied);
});

// The clipboard is closed to pages that came without TLS from another machine; a selection can still be copied there.
async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = Object.assign(document.createElement("textarea"), { value: text, className: "sr" });
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}

document.addEventListener("copy:text", (event) => copy(event.detail.text).then(() => say(event.detail.done)));

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-submit]")) event.target.form.requestSubmit();
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  if (!event.target.matches('[data-enter="submit"]')) return;
  event.preventDefault();
  if (event.target.value.trim()) event.target.form.requestSubmit();
});

// Whoever signs in again in another tab finds this one's forms as they were: each sign-in has another token.
window.addEventListener("focus", () => {
  const token = /(?:^|; )csrftoken=([^;]+)/.exec(document.cookie)?.[1];
  if (!token) return;
  for (const field of document.querySelectorAll("[name=csrfmiddlewaretoken]")) field.value = token;
  document.body.setAttribute("hx-headers", JSON.stringify({ "X-CSRFToken": token }));
});

document.addEventListener("htmx:responseError", ({ detail: { xhr } }) => {
  const { refused, broken } = document.body.dataset;
  if (!toast(xhr.responseText)) say(xhr.status === 403 ? refused : broken);
});
document.addEventListener("htmx:sendError", () => say(document.body.dataset.broken));
document.addEventListener("htmx:load", (event) => enable(event.detail.elt));
document.addEventListener("say", (event) => say(event.detail));

enable(document);
announceToasts();
tick();
setInterval(tick, SECOND / 5);

// A strip of tabs that is wider than the screen begins at the page one is on.
for (const tab of document.querySelectorAll(":is(.tabs, .side-nav > nav, .folders) [aria-current]")) {
  const strip = tab.closest(".tabs, nav, .folders");
  const [from, at] = [strip, tab].map((element) => element.getBoundingClientRect());
  strip.scrollLeft += at.left - from.left - (from.width - at.width) / 2;
}
