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

// Keys.
const keys = new Map();
const key = (name, words, act) => keys.set(name, { words, act });
document.addEventListener("keydown", (event) => {
  // Escape leaves a text, so that keys work again.
  if (event.key === "Escape" && typing(event.target) && !event.isComposing) { event.target.blur(); return; }
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
    const list = document.createElement("dl");
    for (const [name, { words }] of keys) {
      const dt = document.createElement("dt"), dd = document.createElement("dd"), kbd = document.createElement("kbd");
      kbd.textContent = name; dt.append(kbd); dd.textContent = words; list.append(dt, dd);
    }
    const close = document.createElement("button");
    close.textContent = "Close";
    close.addEventListener("click", () => dialog.close());
    dialog.append(title, list, close);
    document.body.append(dialog);
  }
  dialog.showModal();
};
key("?", "these keys", help);
key("i", "the inbox", () => { location.href = "/"; });
for (const node of $$("[data-help]")) { node.hidden = false; node.addEventListener("click", help); }
const pageKeys = () => { for (const node of $$("[data-key]")) key(node.dataset.key, node.textContent.replace(/\s+\S$/, "").trim(), () => $(`[data-key="${node.dataset.key}"]`)?.click()); };
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
      if (!fresh || fresh.outerHTML === shown.outerHTML) return;
      if ($$("textarea, input[name=reason]", shown).some((one) => one.value.trim())) return;
      const open = $$("details", shown).map((one) => one.open);
      $$("details", fresh).forEach((one, at) => { if (open[at]) one.open = true; });
      shown.replaceWith(document.importNode(fresh, true));
      pageKeys();
      say($("h1").textContent);
    } catch { /* the next news tries again */ }
  });
}

if (kind === "plan") planPage();

function planPage() {
  const plan = $(".plan");
  const form = $("#parts");
  const approve = $("#approve");
  const store = `exacta:${plan.dataset.hash}`;
  let kept = {};
  try { kept = JSON.parse(localStorage.getItem(store) ?? "{}"); } catch { kept = {}; }
  const keep = () => { try { localStorage.setItem(store, JSON.stringify(kept)); } catch { /* private window */ } };
  kept.seen ??= {};
  kept.reviewed ??= {};

  // What was on screen. A piece counts once every row of it was.
  const pieces = $$("tbody.hunk, .dump, .untrusted, .why, .steps");
  const covered = new Map();
  const visible = new Set();
  const progress = $(".progress");
  const name = (piece) => piece.id || `p${pieces.indexOf(piece)}`;
  const isSeen = (piece) => kept.seen[name(piece)] === 1;
  const foot = () => { const bar = $(".decide"); return bar ? innerHeight - bar.getBoundingClientRect().height : innerHeight; };
  const measure = () => {
    let changed = false;
    const bottom = foot();
    for (const piece of visible) {
      if (isSeen(piece)) continue;
      const box = piece.getBoundingClientRect();
      const from = Math.max(0, 60 - box.top), to = Math.min(box.height, bottom - box.top);
      if (to <= from) continue;
      const was = covered.get(piece);
      const next = !was || from > was[1] + 4 || to < was[0] - 4 ? [from, to] : [Math.min(from, was[0]), Math.max(to, was[1])];
      if (was && next[1] - next[0] < was[1] - was[0]) continue;
      covered.set(piece, next);
      if (next[0] <= 4 && next[1] >= box.height - 4) { kept.seen[name(piece)] = 1; changed = true; }
    }
    if (changed) { keep(); report(); }
  };
  let queued = false;
  const soon = () => { if (!queued) { queued = true; requestAnimationFrame(() => { queued = false; measure(); }); } };
  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries) entry.isIntersecting ? visible.add(entry.target) : visible.delete(entry.target);
    soon();
  });
  const report = () => {
    const left = pieces.filter((piece) => !isSeen(piece)).length;
    if (progress) progress.textContent = left ? `${pieces.length - left} of ${pieces.length} parts were on screen` : "everything was on screen";
    if (form) form.elements.seen.value = left ? "" : "all";
    const unseen = form?.elements.unseen;
    if (unseen) unseen.closest("label").hidden = left === 0;
    const shut = Boolean(left && unseen && !unseen.checked);
    for (const button of [approve, $("#take-some")]) {
      if (!button) continue;
      button.setAttribute("aria-disabled", String(shut));
      button.title = shut ? "opens once everything was on screen, or the box beside it is ticked" : "";
    }
    for (const file of $$("article.file")) {
      const mine = pieces.filter((piece) => file.contains(piece));
      $(`.tree a[href="#${file.id}"]`)?.parentElement.classList.toggle("all-seen", mine.every(isSeen));
    }
  };
  for (const piece of pieces) observer.observe(piece);
  addEventListener("scroll", soon, { passive: true });
  addEventListener("resize", soon, { passive: true });
  form?.elements.unseen?.addEventListener("change", report);
  report();

  // Marks of the reader's own.
  for (const box of $$("[data-seen]")) {
    box.closest("label").hidden = false;
    box.checked = kept.reviewed[box.dataset.seen] === 1;
    const show = () => box.closest("tbody").classList.toggle("reviewed", box.checked);
    box.addEventListener("change", () => { box.checked ? kept.reviewed[box.dataset.seen] = 1 : delete kept.reviewed[box.dataset.seen]; keep(); show(); });
    show();
  }

  // Choosing: what a step needs comes with it, what needs it goes with it.
  const steps = new Map($$(".steps li[data-step]").map((item) =>
    [item.dataset.step, { box: $("input[name=step]", item), needs: JSON.parse(item.dataset.needs) }]));
  const hunks = $$("input[name=hunk]");
  const closure = $(".closure");
  const stepOf = (box) => box.value.slice(0, box.value.lastIndexOf(":"));
  const hunksOf = (id) => hunks.filter((box) => stepOf(box) === id);
  const partly = (id) => { const all = hunksOf(id); return all.length > 0 && all.some((box) => !box.checked) && all.some((box) => box.checked); };
  const set = (id, on) => {
    const step = steps.get(id);
    if (step?.box) step.box.checked = on;
    for (const box of hunksOf(id)) box.checked = on;
  };
  const needers = (id) => [...steps].filter(([, step]) => step.needs.includes(id)).map(([other]) => other);
  const drop = (id, gone = []) => { for (const other of needers(id)) if (steps.get(other).box?.checked) { set(other, false); gone.push(other); drop(other, gone); } return gone; };
  const bring = (id, come = []) => { for (const other of steps.get(id)?.needs ?? []) { if (!steps.get(other)?.box?.checked || partly(other)) { set(other, true); come.push(other); } bring(other, come); } return come; };
  const tell = (words) => { if (closure) closure.textContent = words; say(words); };
  const taken = () => {
    let whole = 0, some = 0, none = 0;
    for (const [id, step] of steps) {
      const on = step.box ? step.box.checked : true;
      const all = hunksOf(id);
      if (!on || (all.length && all.every((box) => !box.checked))) none += 1;
      else if (partly(id)) some += 1;
      else whole += 1;
    }
    for (const box of hunks) box.closest("tbody").classList.toggle("skipped", !box.checked);
    const list = [`${whole} of ${steps.size} steps taken whole`];
    if (some) list.push(`${some} in part`);
    if (none) list.push(`${none} left out`);
    const button = $("#take-some");
    if (button) button.hidden = some === 0 && none === 0;
    const nodes = $$(".graph .node");
    [...steps].forEach(([id, step], at) => nodes[at]?.classList.toggle("left", Boolean(step.box && !step.box.checked)));
    return list.join(", ");
  };
  for (const [id, step] of steps) {
    step.box?.addEventListener("change", () => {
      set(id, step.box.checked);
      const along = [...new Set(step.box.checked ? bring(id) : drop(id))];
      const state = taken();
      tell(!along.length ? state
        : step.box.checked ? `${id} needs ${along.join(", ")}: taken with it; ${state}`
        : `${along.join(", ")} cannot run without ${id}: left out too; ${state}`);
    });
  }
  for (const box of hunks) {
    box.addEventListener("change", () => {
      const id = stepOf(box), step = steps.get(id);
      const all = hunksOf(id);
      if (step?.box) step.box.checked = all.some((one) => one.checked);
      // What needs a step needs all of it.
      const along = all.every((one) => one.checked) ? [] : [...new Set(drop(id))];
      const state = taken();
      tell(along.length ? `${along.join(", ")} needs all of ${id}: left out; ${state}` : state);
    });
  }
  if (form && (steps.size > 1 || hunks.length)) taken();

  // Comments on lines: a click on a number, with shift for a range.
  const remark = (row, side, from, to) => {
    const table = row.closest("table");
    const path = table.dataset.path;
    const id = `${side}:${from}:${to}:${path}`;
    const there = $$(".remark", table).find((one) => one.dataset.id === id);
    if (there) { $("textarea", there).focus(); return; }
    const tr = document.createElement("tr");
    tr.className = "remark";
    tr.dataset.id = id;
    const td = document.createElement("td");
    td.colSpan = 4;
    const label = document.createElement("label");
    const who = document.createElement("span");
    who.className = "who";
    who.textContent = `Comment on ${path} ${from === to ? `line ${from}` : `lines ${from} to ${to}`}${side === "before" ? " as it was" : ""}; it goes along with a request for changes`;
    const place = document.createElement("input");
    place.type = "hidden"; place.name = "place"; place.value = `lines:${id}`;
    const text = document.createElement("textarea");
    text.name = "comment"; text.rows = 2;
    place.setAttribute("form", "parts"); text.setAttribute("form", "parts");
    const away = document.createElement("button");
    away.type = "button"; away.textContent = "Drop the comment";
    away.addEventListener("click", () => tr.remove());
    label.append(who, place, text);
    td.append(label, away);
    tr.append(td);
    row.after(tr);
    text.focus();
  };
  let last = null;
  const numbers = (row) => {
    const cells = $$("td.n", row);
    const was = Number(cells[0]?.textContent), is = Number(cells[1]?.textContent);
    return is ? ["after", is] : was ? ["before", was] : null;
  };
  if (form) {
    plan.addEventListener("click", (event) => {
      const cell = event.target.closest?.("td.n");
      const row = cell?.closest("tr");
      if (!row || !row.closest("tbody.hunk")) return;
      const found = numbers(row);
      if (!found) return;
      const [side, line] = found;
      if (event.shiftKey && last && last.table === row.closest("table") && last.side === side) {
        remark(row, side, Math.min(line, last.line), Math.max(line, last.line));
      } else remark(row, side, line, line);
      last = { table: row.closest("table"), side, line };
    });
  }

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

  // Moving.
  const all = $$("tbody.hunk, .dump");
  let at = -1;
  const go = (index) => {
    if (!all.length) return;
    at = Math.min(Math.max(index, 0), all.length - 1);
    for (const one of all) one.classList.toggle("current", one === all[at]);
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
  key("j", "next hunk", () => go(at + 1));
  key("k", "hunk before", () => go(at - 1));
  key("n", "next file", () => otherFile(1));
  key("p", "file before", () => otherFile(-1));
  key("v", "mark the hunk as reviewed, or not", () => $("[data-seen]", all[at] ?? document)?.click());
  key("e", "show the lines around", () => { const near = all[at]; ($("a.expand", near?.nextElementSibling ?? plan) ?? $("a.expand", near?.previousElementSibling ?? plan) ?? $("a.expand"))?.click(); });
  key("u", "unified or side by side", () => $("#layout")?.click());
  if (form) {
    key("x", "take the hunk, or leave it out", () => $("input[name=hunk]", all[at] ?? plan)?.click());
    key("c", "comment on the hunk", () => { const row = $$("tr.add, tr.del, tr", all[at] ?? plan).find((one) => numbers(one)); if (row) remark(row, ...numbers(row), numbers(row)[1]); });
    key("a", "approve: goes to the button, Enter approves", () => approve?.focus());
    key("s", "approve what is ticked: goes to the button", () => $("#take-some")?.focus());
    key("m", "request changes", () => { const d = $("#changes-form"); d.open = true; $("textarea", d).focus(); });
    key("R", "reject", () => { const d = $("#reject"); d.open = true; $("textarea", d).focus(); });
  }
  key("z", "postpone", () => $("button[value=pause]")?.click());
  key("w", "renew", () => $("button[value=renew]")?.click());
  key("g", "run it", () => $("#run")?.focus());

  // Nothing is sent while it is shut, and nothing twice.
  let leaving = false;
  for (const one of $$("form[method=post]")) {
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
    for (const button of $$(".decide button")) button.disabled = true;
    let note = $(".over-note");
    if (!note) { note = document.createElement("div"); note.className = "notice bad over-note"; note.setAttribute("role", "alert"); $(".decide").before(note); }
    note.textContent = `This plan is ${now.words} now. What you wrote is still here; reload the page to go on.`;
  };
}

// Passkeys: the browser is asked what the server says, and the answer goes back as it is.
const b64 = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const unb64 = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
const post = async (path, body) => {
  const response = await fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), redirect: "error" });
  if (response.ok) return response.status === 204 ? null : response.json();
  const problem = await response.json().catch(() => ({}));
  throw new Error(problem.detail ?? "the server refused it");
};
async function passkeySigned(wanted) {
  const ask = await post("/passkeys/ask", wanted);
  const given = await navigator.credentials.get({ publicKey: {
    challenge: unb64(ask.challenge), rpId: ask.rp_id, userVerification: "required", timeout: 110_000,
    allowCredentials: ask.keys.map((id) => ({ type: "public-key", id: unb64(id) })),
  } });
  return {
    challenge: ask.challenge, id: b64(given.rawId), signature: b64(given.response.signature),
    authenticator_data: b64(given.response.authenticatorData), client_data: b64(given.response.clientDataJSON),
  };
}
const passkeysWork = () => Boolean(globalThis.PublicKeyCredential && navigator.credentials);
const passkeySaid = (words) => { const said = $("#passkey-said"); if (said) said.textContent = words; };

if ($("#passkey") && passkeysWork()) {
  $("#passkey").hidden = false;
  $("#passkey").addEventListener("click", async () => {
    try {
      await post("/sign-in/passkey", await passkeySigned({ for: "sign_in" }));
      location.href = "/";
    } catch (fault) { passkeySaid(`Not signed in: ${fault.message}`); }
  });
}

if ($("#new-passkey") && passkeysWork()) {
  const form = $("#new-passkey");
  form.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      const ask = await post("/passkeys/ask", { for: "register" });
      const made = await navigator.credentials.create({ publicKey: {
        challenge: unb64(ask.challenge), rp: { id: ask.rp_id, name: "Exacta" }, attestation: "none", timeout: 110_000,
        user: { id: unb64(ask.user_id), name: ask.user, displayName: ask.user },
        pubKeyCredParams: [{ type: "public-key", alg: -7 }, { type: "public-key", alg: -8 }],
        authenticatorSelection: { residentKey: "preferred", userVerification: "required" },
        excludeCredentials: ask.keys.map((id) => ({ type: "public-key", id: unb64(id) })),
      } });
      const key = made.response.getPublicKey();
      if (!key) throw new Error("this kind of passkey is not taken");
      await post("/passkeys/register", {
        challenge: ask.challenge, id: b64(made.rawId), name: form.elements.name.value, public_key: b64(key),
        authenticator_data: b64(made.response.getAuthenticatorData()), client_data: b64(made.response.clientDataJSON),
      });
      location.reload();
    } catch (fault) { passkeySaid(`No passkey was added: ${fault.message}`); }
  });
}

// What somebody approves who signed in with a passkey, the passkey signs.
if ($(".plan[data-passkey]") && $("#parts")) {
  const form = $("#parts"), plan = $(".plan");
  form.addEventListener("submit", async (event) => {
    const button = event.submitter, verb = button?.value;
    if (event.defaultPrevented || !["approve", "selected", "parts"].includes(verb) || form.elements.passkey.value) return;
    event.preventDefault();
    try {
      const signed = await passkeySigned({ for: "act", verb, plan_id: plan.dataset.plan, plan_hash: plan.dataset.hash });
      form.elements.passkey.value = JSON.stringify(signed);
      // The first attempt was held back; this one is the same.
      dispatchEvent(new Event("pageshow"));
      form.requestSubmit(button);
    } catch (fault) {
      dispatchEvent(new Event("pageshow"));
      say(`Nothing was approved: ${fault.message}`);
    }
  });
}

// A file opens in the editor, and the page stays where it is.
for (const form of $$("form.open")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const fields = new URLSearchParams(new FormData(form));
    fields.set("quiet", "1");
    const response = await fetch(form.action, { method: "POST", body: fields, redirect: "error" }).catch(() => null);
    say(response?.ok ? "opened in your editor" : "it was not opened");
  });
}
