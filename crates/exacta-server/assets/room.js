// The review room's script: everything here makes easier what forms and links do without it.
"use strict";

const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
const say = (text) => { const live = $("#live"); if (live) live.textContent = text; };
const typing = (target) => target instanceof HTMLElement &&
  (target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName) ||
   (target.tagName === "INPUT" && !/^(checkbox|radio|button|submit)$/.test(target.type)));

const spell = (seconds) => {
  const s = Math.max(0, Math.floor(seconds));
  if (s >= 3600) return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
  if (s >= 60) return `${Math.floor(s / 60)} min ${s % 60} s`;
  return `${s} s`;
};

// Deadlines go on while somebody looks.
const started = performance.now();
const tick = () => {
  const gone = (performance.now() - started) / 1000;
  for (const node of $$("[data-left]")) {
    if (!node.dataset.at) node.dataset.at = String(gone);
    const left = Number(node.dataset.left) - (gone - Number(node.dataset.at));
    node.textContent = left > 0 ? `expires in ${spell(left)}` : "its time is over";
    node.classList.toggle("soon", left < 300);
  }
};
setInterval(tick, 1000);
tick();

// Times stand in UTC until somebody's own clock is known.
const times = (root = document) => {
  const day = { month: "short", day: "numeric" }, hour = { hour: "2-digit", minute: "2-digit" };
  for (const node of $$("time[data-time]", root)) {
    const at = new Date(node.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    const today = at.toDateString() === new Date().toDateString();
    const exact = node.closest(".timeline") ? { second: "2-digit" } : {};
    node.textContent = at.toLocaleString(undefined, { ...(today ? {} : day), ...hour, ...exact });
  }
};
times();

// Keys.
const keys = new Map();
let group = "Everywhere";
const heading = (words) => { group = words; };
const key = (name, words, act) => keys.set(name, { words, act, group });
document.addEventListener("keydown", (event) => {
  // Escape leaves a text, so that keys work again.
  if (event.key === "Escape" && typing(event.target) && !event.isComposing) { event.target.blur(); return; }
  // And once more it shuts what was opened to write in.
  const writing = event.key === "Escape" && !$("dialog[open]") ? $(".decide details[open]:not(.more)") : null;
  if (writing) { writing.open = false; $("summary", writing).focus(); return; }
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || typing(event.target)) return;
  const open = $("dialog[open]");
  if (open && event.key !== "Escape") return;
  const found = keys.get(event.key);
  if (!found) return;
  event.preventDefault();
  found.act();
});
const help = () => {
  let dialog = $("#keys");
  if (!dialog) {
    dialog = document.createElement("dialog");
    dialog.id = "keys";
    dialog.setAttribute("aria-label", "keys");
    const title = document.createElement("h2");
    title.textContent = "Keys";
    const groups = document.createElement("div");
    groups.className = "groups";
    const told = [...keys].sort((a, b) => (a[1].group === "Everywhere") - (b[1].group === "Everywhere"));
    for (const of of new Set(told.map(([, { group }]) => group))) {
      const part = document.createElement("section"), name = document.createElement("h3"), list = document.createElement("dl");
      name.textContent = of;
      for (const [name, { words, group }] of told) {
        if (group !== of) continue;
        const dt = document.createElement("dt"), dd = document.createElement("dd"), kbd = document.createElement("kbd");
        kbd.textContent = name; dt.append(kbd); dd.textContent = words; list.append(dt, dd);
      }
      part.append(name, list);
      groups.append(part);
    }
    const close = document.createElement("button");
    close.textContent = "Close";
    close.addEventListener("click", () => dialog.close());
    dialog.append(title, groups, close);
    document.body.append(dialog);
  }
  dialog.showModal();
};
key("?", "these keys", help);
key("i", "the inbox", () => { location.href = "/"; });
for (const node of $$("[data-help]")) { node.hidden = false; node.addEventListener("click", help); }
const pageKeys = () => { for (const node of $$("[data-key]")) key(node.dataset.key, node.textContent.replace(/\s+\S$/, "").trim(), () => $(`[data-key="${node.dataset.key}"]`)?.click()); };
heading("This page");
pageKeys();

// News from the server: one stream, read with the session's own cookie.
const listen = (act) => {
  if (!window.EventSource) return;
  let timer = 0;
  const soon = () => { clearTimeout(timer); timer = setTimeout(act, 120); };
  const stream = new EventSource("/room/news");
  // What happened between the page and the stream, or while the stream was away, is looked up.
  stream.addEventListener("open", soon);
  stream.addEventListener("news", soon);
  addEventListener("pagehide", () => stream.close());
};
const fetched = async (href) => {
  const response = await fetch(href, { headers: { accept: "text/html" }, redirect: "error" });
  if (!response.ok) throw new Error(String(response.status));
  return new DOMParser().parseFromString(await response.text(), "text/html");
};

const kind = document.body.dataset.kind;

if (kind === "inbox") {
  const list = $("#inbox");
  let known = Number(list.dataset.waiting);
  const button = $("[data-notify]");
  const wants = () => window.Notification && Notification.permission === "granted" && localStorage.getItem("exacta:notify") === "yes";
  if (window.Notification && Notification.permission !== "denied" && !wants()) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      if (await Notification.requestPermission() === "granted") { localStorage.setItem("exacta:notify", "yes"); button.hidden = true; }
    });
  }
  listen(async () => {
    try {
      const page = await fetched("/");
      const fresh = $("#inbox", page);
      if (!fresh) { location.href = "/sign-in"; return; }
      const at = document.activeElement instanceof HTMLAnchorElement && list.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
      const gone = String((performance.now() - started) / 1000);
      list.replaceChildren(...fresh.childNodes);
      for (const node of $$("[data-left]", list)) node.dataset.at = gone;
      if (at) $$("a", list).find((a) => a.getAttribute("href") === at)?.focus();
      const waiting = Number(fresh.dataset.waiting);
      document.title = page.title;
      if (waiting > known) {
        say("one more plan waits for you");
        if (wants() && document.hidden) new Notification("Exacta", { body: "a plan waits for you" });
      }
      known = waiting;
    } catch { /* the next news tries again */ }
  });
  const links = () => $$(".item .go");
  const step = (by) => {
    const all = links();
    const at = all.indexOf(document.activeElement);
    (all[at + by] ?? all[by > 0 ? 0 : all.length - 1])?.focus();
  };
  key("j", "next plan", () => step(1));
  key("k", "plan before", () => step(-1));
}

if (kind === "run") {
  // Every sign of life of the run is painted; a reason that somebody is typing stays.
  listen(async () => {
    try {
      // Not the address of the page: a refused form is answered at its own.
      const shown = $(".run");
      const page = await fetched(`/projects/${shown.dataset.project}/runs/${shown.dataset.run}`);
      const fresh = $(".run", page);
      if (fresh) times(fresh);
      if (!fresh || fresh.outerHTML === shown.outerHTML) return;
      if ($$("textarea, input[name=reason]", shown).some((one) => one.value.trim()) || $("[data-busy]", shown)) return;
      const open = $$("details", shown).map((one) => one.open);
      $$("details", fresh).forEach((one, at) => { if (open[at]) one.open = true; });
      shown.replaceWith(document.importNode(fresh, true));
      pageKeys();
      say($("h1").textContent);
    } catch { /* the next news tries again */ }
  });
}
