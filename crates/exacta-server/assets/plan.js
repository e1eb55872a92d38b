// The page of a plan: what was on screen, moving through it, deciding once, and what happens
// elsewhere meanwhile. What is chosen and written stands in choose.js.
"use strict";

{
  const plan = $(".plan");
  const form = $("#parts");
  const approve = $("#approve");
  const store = `exacta:${plan.dataset.hash}`;
  let seen = {};
  try { seen = JSON.parse(localStorage.getItem(store) ?? "{}").seen ?? {}; } catch { seen = {}; }
  const keep = () => { try { localStorage.setItem(store, JSON.stringify({ seen })); } catch { /* private window */ } };

  // What was on screen. A piece counts once every row of it was, in one stretch.
  const pieces = $$("tbody.hunk, .dump, .untrusted, .why, .steps");
  const covered = new Map();
  const visible = new Set();
  const progress = $$(".progress");
  const name = (piece) => piece.id || `p${pieces.indexOf(piece)}`;
  const isSeen = (piece) => seen[name(piece)] === 1;
  const top = () => Math.max(0, $(".top").getBoundingClientRect().bottom);
  // What the head of its file covers of a piece is not on screen.
  const under = (piece) => Math.max(top(), piece.closest("article.file")?.firstElementChild.getBoundingClientRect().bottom ?? 0);
  const foot = () => { const bar = $(".decide"); return bar ? innerHeight - bar.getBoundingClientRect().height : innerHeight; };
  const measure = () => {
    let changed = false;
    const bottom = foot();
    for (const piece of visible) {
      if (isSeen(piece)) continue;
      const box = piece.getBoundingClientRect();
      const from = Math.max(0, under(piece) - box.top), to = Math.min(box.height, bottom - box.top);
      if (to <= from) continue;
      const was = covered.get(piece);
      const next = !was || from > was[1] + 4 || to < was[0] - 4 ? [from, to] : [Math.min(from, was[0]), Math.max(to, was[1])];
      if (was && next[1] - next[0] < was[1] - was[0]) continue;
      covered.set(piece, next);
      if (next[0] <= 4 && next[1] >= box.height - 4) { seen[name(piece)] = 1; changed = true; }
    }
    if (changed) { keep(); report(); }
  };
  let queued = false;
  const soon = () => { if (!queued) { queued = true; requestAnimationFrame(() => { queued = false; measure(); }); } };
  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries) entry.isIntersecting ? visible.add(entry.target) : visible.delete(entry.target);
    soon();
  });
  const files = $$("article.file").map((file) =>
    [pieces.filter((piece) => file.contains(piece)), $(`.tree a[href="#${file.id}"]`)?.parentElement]);
  const unseen = $("#next-unseen");
  const report = () => {
    const left = pieces.filter((piece) => !isSeen(piece)).length;
    for (const one of progress) one.textContent = left ? `${pieces.length - left} of ${pieces.length} parts seen` : "everything was on screen";
    if (unseen) unseen.hidden = left === 0;
    if (form) form.elements.seen.value = left ? "" : "all";
    const box = form?.elements.unseen;
    if (box) box.closest("label").hidden = left === 0;
    const shut = Boolean(left && box && !box.checked);
    for (const button of [approve, $("#take-some"), $("button[value=parts]", form ?? document)]) {
      if (!button || document.body.dataset.lost) continue;
      button.setAttribute("aria-disabled", String(shut));
      button.title = shut ? "opens once everything was on screen, or the box beside it is ticked" : "";
    }
    for (const [mine, entry] of files) entry?.classList.toggle("all-seen", mine.every(isSeen));
  };
  for (const piece of pieces) observer.observe(piece);
  addEventListener("scroll", soon, { passive: true });
  addEventListener("resize", soon, { passive: true });
  form?.elements.unseen?.addEventListener("change", report);
  addEventListener("found", report);
  report();

  // More of a file.
  plan.addEventListener("click", async (event) => {
    const link = event.target.closest?.("a.expand");
    if (!link || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    try {
      const response = await fetch(link.getAttribute("href"), { headers: { "x-part": "rows" }, redirect: "error" });
      if (!response.ok) throw new Error();
      const holder = new DOMParser().parseFromString(`<table><tbody>${await response.text()}</tbody></table>`, "text/html");
      const body = link.closest("tbody");
      const rows = $$("tr", holder).map((row) => document.importNode(row, true));
      body.classList.remove("gap");
      body.replaceChildren(...rows);
      say(`${rows.length} more lines`);
    } catch { location.href = link.href; }
  });

  // A finding may lead to a file that is folded, or to a line that is.
  const unfold = (node) => node?.closest("article.file")?.classList.remove("folded");
  const towards = () => {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target) { unfold(target); target.scrollIntoView({ block: "start" }); }
  };
  addEventListener("hashchange", towards);

  // Moving.
  const all = $$("tbody.hunk, .dump");
  let at = -1;
  const go = (index) => {
    if (!all.length) return;
    at = Math.min(Math.max(index, 0), all.length - 1);
    for (const one of all) one.classList.toggle("current", one === all[at]);
    unfold(all[at]);
    all[at].scrollIntoView({ block: "start" });
  };
  const fileOf = (index) => all[index]?.closest("article");
  const otherFile = (by) => {
    const here = fileOf(Math.max(at, 0));
    if (at < 0) { go(0); return; }
    let index = at;
    while (index >= 0 && index < all.length && fileOf(index) === here) index += by;
    if (index < 0 || index >= all.length) return;
    const file = fileOf(index);
    go(by > 0 ? index : all.findIndex((one) => one.closest("article") === file));
  };
  const nextUnseen = () => {
    const below = pieces.filter((piece) => !isSeen(piece));
    // The first one after where somebody is; from the end it goes on at the beginning.
    const next = below.find((piece) => piece.getBoundingClientRect().top > top() + 4) ?? below[0];
    if (!next) { say("everything was on screen"); return; }
    const index = all.indexOf(next);
    if (index >= 0) { go(index); return; }
    next.scrollIntoView({ block: "start" });
  };
  unseen?.addEventListener("click", nextUnseen);
  heading("Move");
  key("j", "next hunk", () => go(at + 1));
  key("k", "hunk before", () => go(at - 1));
  key("n", "next file", () => otherFile(1));
  key("p", "file before", () => otherFile(-1));
  key(".", "next part that was not on screen", nextUnseen);
  key("e", "show the lines around", () => { const near = all[at]; ($("a.expand", near?.nextElementSibling ?? plan) ?? $("a.expand", near?.previousElementSibling ?? plan) ?? $("a.expand"))?.click(); });
  key("u", "unified or side by side", () => $("#layout")?.click());
  key("/", "find a file", () => { const box = $("#find-file"); if (box && !box.closest("label").hidden) box.focus(); });
  heading("Decide");
  if (form) {
    key("a", "approve: goes to the button, Enter approves", () => approve?.focus());
    key("s", "approve what is ticked: goes to the button", () => $("#take-some")?.focus());
    key("m", "request changes", () => { const d = $("#changes-form"); d.open = true; $("textarea", d).focus(); });
    key("R", "reject", () => { const d = $("#reject"); d.open = true; $("textarea", d).focus(); });
  }
  key("z", "postpone", () => $("button[value=pause]")?.click());
  key("w", "renew", () => $("button[value=renew]")?.click());
  key("g", "run it", () => $("#run")?.focus());

  // The tree of many files: only those whose path holds what is typed.
  const find = $("#find-file");
  if (find) {
    const entries = $$(".tree .file").map((entry) => [entry, $("a", entry).dataset.path.toLowerCase()]);
    find.closest("label").hidden = entries.length < 12;
    find.addEventListener("input", () => {
      const words = find.value.trim().toLowerCase().split(/\s+/);
      for (const [entry, path] of entries) entry.hidden = !words.every((word) => path.includes(word));
      for (const folder of $$(".tree li:not(.file)").reverse()) folder.hidden = !$(".file:not([hidden])", folder);
    });
    find.addEventListener("keydown", (event) => {
      if (event.key === "Enter") { event.preventDefault(); $(".tree .file:not([hidden]) a")?.click(); find.blur(); }
    });
  }

  // Nothing is sent while it is shut, and nothing twice.
  let leaving = false;
  for (const one of $$("form[method=post]:not(.open)")) {
    let sent = false;
    one.addEventListener("submit", (event) => {
      const button = event.submitter;
      if (sent || button?.getAttribute("aria-disabled") === "true") {
        event.preventDefault();
        if (!sent) say(button.title);
        return;
      }
      sent = leaving = true;
      addEventListener("pageshow", () => { sent = leaving = false; });
    });
  }

  // What happens elsewhere: decided in another window, expired, overtaken.
  listen(async () => {
    // The answer to a form says it all; loading the page again would cut it off.
    if (leaving) return;
    try {
      const here = `/projects/${plan.dataset.project}/plans/${plan.dataset.plan}`;
      const response = await fetch(`${here}/standing`, { redirect: "error" });
      if (!response.ok) return;
      const now = await response.json();
      if (leaving) return;
      if (now.status !== plan.dataset.state || (now.out_of_date && !$(".life.stale"))) {
        if ($$("textarea").some((one) => one.value.trim())) { overtaken(now); return; }
        if (here === location.pathname) location.reload(); else location.replace(here);
      }
    } catch { /* the next news tries again */ }
  });
  const overtaken = (now) => {
    plan.dataset.state = now.status;
    for (const button of $$(".decide button")) button.disabled = button.value !== "renew";
    let note = $(".over-note");
    if (!note) { note = document.createElement("div"); note.className = "notice bad over-note"; note.setAttribute("role", "alert"); $(".decide").before(note); }
    note.textContent = `This plan is ${now.words} now. What you wrote is still here; reload the page to go on.`;
  };

  // A file opens in the editor, and the page stays where it is.
  for (const opening of $$("form.open")) {
    opening.addEventListener("submit", async (event) => {
      event.preventDefault();
      const fields = new URLSearchParams(new FormData(opening));
      fields.set("quiet", "1");
      const response = await fetch(opening.action, { method: "POST", body: fields, redirect: "error" }).catch(() => null);
      say(response?.ok ? "opened in your editor" : "it was not opened");
    });
  }
}
