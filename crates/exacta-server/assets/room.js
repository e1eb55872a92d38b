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

// News from the server: one stream, read with the session's own cookie. While it is away the
// page may say what is no longer so: it says that, and sends nothing until it is back.
const listen = (act) => {
  if (!window.EventSource) return;
  let timer = 0, watch = 0, stream = null, leaving = false;
  const soon = () => { clearTimeout(timer); timer = setTimeout(act, 120); };
  const open = () => {
    stream = new EventSource("/room/news");
    // What happened between the page and the stream, or while the stream was away, is looked up.
    stream.addEventListener("open", () => { found(); soon(); });
    stream.addEventListener("news", soon);
    stream.addEventListener("error", () => look(700));
  };
  const look = (after) => { clearTimeout(watch); if (!leaving) watch = setTimeout(check, after); };
  const check = async () => {
    const how = await standing();
    if (leaving) return;
    if (how !== "here") { lost(how); look(how === "gone" ? 2000 : 10_000); return; }
    if (stream.readyState === EventSource.CLOSED) open();
    else if (stream.readyState === EventSource.OPEN) found();
    else look(2000);
  };
  addEventListener("pagehide", () => { leaving = true; stream.close(); });
  addEventListener("pageshow", (event) => { if (event.persisted) { leaving = false; open(); } });
  for (const change of ["online", "offline"]) addEventListener(change, () => look(0));
  open();
};
// How this page stands with the server: it has started again under another name, or the session
// is over, or nobody answers.
const standing = async () => {
  try {
    const response = await fetch("/room/here", { redirect: "error", cache: "no-store", signal: AbortSignal.timeout(4000) });
    if (response.status === 421) return "moved";
    return response.ok ? ((await response.json()).signed_in ? "here" : "out") : "gone";
  } catch { return "gone"; }
};
const door = () => {
  const [, ...kept] = location.hostname.split(".");
  return kept.length === 2 && kept[1] === "localhost" ? `${location.protocol}//${kept.join(".")}${location.port ? `:${location.port}` : ""}/sign-in` : null;
};
const LOST = {
  gone: ["The server does not answer.", "What you see may be out of date, and nothing can be decided. This page goes on by itself once the server is back; what you wrote stays here."],
  moved: ["The server was started again, and this page's address ended with the one before.", "Nothing can be decided here any more. Open the room anew: `exacta review --web` at a terminal."],
  out: ["You are signed out.", "Nothing can be decided until you sign in again; what you wrote stays here until then."],
};
let how = "here";
const held = () => $$("main form[method=post] button, main #take-some, main #approve");
const lost = (now) => {
  for (const button of held()) {
    button.dataset.held ??= button.getAttribute("aria-disabled") ?? "";
    button.setAttribute("aria-disabled", "true");
  }
  if (now === how) return;
  how = now;
  document.body.dataset.lost = now;
  let note = $("#lost");
  if (!note) {
    note = document.createElement("div");
    note.id = "lost"; note.className = "notice bad"; note.setAttribute("role", "alert");
    $("main").before(note);
  }
  const [first, then] = LOST[now];
  const strong = document.createElement("strong"), words = document.createElement("span");
  strong.textContent = first;
  words.append(...then.split("`").map((part, at) => { if (at % 2 === 0) return part; const code = document.createElement("code"); code.textContent = part; return code; }));
  note.replaceChildren(strong, " ", words);
  const to = now === "out" ? ["/sign-in", "Sign in"] : now === "moved" && door() ? [door(), "Sign in with a passkey"] : null;
  if (to) { const link = document.createElement("a"); [link.href, link.textContent] = to; note.append(" ", link); }
};
const found = () => {
  if (how === "here") return;
  how = "here";
  delete document.body.dataset.lost;
  $("#lost")?.remove();
  for (const button of $$("[data-held]")) {
    if (button.dataset.held) button.setAttribute("aria-disabled", button.dataset.held); else button.removeAttribute("aria-disabled");
    delete button.dataset.held;
  }
  say("The server is back.");
  dispatchEvent(new Event("found"));
};
addEventListener("submit", (event) => {
  if (how === "here") return;
  event.preventDefault();
  event.stopImmediatePropagation();
  say(`Nothing was sent. ${LOST[how][0]}`);
}, { capture: true });
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
  const paint = async () => {
    try {
      // Not the address of the page: a refused form is answered at its own.
      const shown = $(".run");
      const page = await fetched(`/projects/${shown.dataset.project}/runs/${shown.dataset.run}`);
      const fresh = $(".run", page);
      if (fresh) times(fresh);
      // What stands in the way of an undo stays until somebody leaves.
      const conflicts = $(".conflicts", shown);
      if (fresh && conflicts) $(".steps", fresh)?.before(document.importNode(conflicts, true));
      if (!fresh || fresh.outerHTML === shown.outerHTML) return;
      if ($$("textarea, input[name=reason]", shown).some((one) => one.value.trim()) || $("[data-busy]", shown)) return;
      const open = $$("details", shown).map((one) => one.open);
      $$("details", fresh).forEach((one, at) => { if (open[at]) one.open = true; });
      shown.replaceWith(document.importNode(fresh, true));
      pageKeys();
      say($("h1").textContent);
    } catch { /* the next news tries again */ }
  };
  listen(paint);
  // A run that is not on the record yet makes no news.
  setInterval(() => { if ($(".run[data-early]") && !document.hidden) paint(); }, 1000);
}
