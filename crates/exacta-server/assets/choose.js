// The page of a plan that waits: what is reviewed, which steps and hunks are taken, and what is
// written beside them. All of it is kept at the server until somebody decides, so that it is
// still there on another day, at another window, and on the plan that takes this one's place.
"use strict";

{
  const plan = $(".plan");
  const form = $("#parts");
  const current = () => $("tbody.hunk.current, .dump.current");
  const hunkBodies = $$("tbody.hunk[data-mark]");

  // Marks of the reader's own: a hunk, or all of a file, which is folded away then.
  const reviewed = new Set();
  const fileBoxes = $$("[data-file-seen]");
  const paint = () => {
    for (const body of hunkBodies) {
      const on = reviewed.has(body.dataset.mark);
      body.classList.toggle("reviewed", on);
      const box = $("[data-seen]", body);
      if (box) box.checked = on;
    }
    for (const box of fileBoxes) {
      const file = box.closest("article");
      const mine = $$("tbody.hunk[data-mark]", file);
      const on = mine.length ? mine.every((body) => reviewed.has(body.dataset.mark)) : reviewed.has(box.dataset.fileSeen);
      box.checked = on;
      $(`.tree a[href="#${file.id}"]`)?.parentElement.classList.toggle("reviewed", on);
    }
  };
  const mark = (name, on) => { on ? reviewed.add(name) : reviewed.delete(name); };
  for (const body of hunkBodies) {
    const box = $("[data-seen]", body);
    if (!box) continue;
    box.closest("label").hidden = false;
    box.addEventListener("change", () => { mark(body.dataset.mark, box.checked); paint(); note(); });
  }
  for (const box of fileBoxes) {
    box.closest("label").hidden = false;
    box.addEventListener("change", () => {
      const file = box.closest("article");
      for (const body of $$("tbody.hunk[data-mark]", file)) mark(body.dataset.mark, box.checked);
      mark(box.dataset.fileSeen, box.checked);
      file.classList.toggle("folded", box.checked);
      if (box.checked && file.getBoundingClientRect().top < 0) file.scrollIntoView({ block: "start", behavior: "instant" });
      paint();
      note();
    });
  }
  for (const file of $$("article.file")) {
    const button = $("button.fold", file);
    if (!button) continue;
    button.hidden = false;
    button.addEventListener("click", () => file.classList.toggle("folded"));
    new MutationObserver(() => button.setAttribute("aria-expanded", String(!file.classList.contains("folded"))))
      .observe(file, { attributes: true, attributeFilter: ["class"] });
  }

  // Choosing: what a step needs comes with it, what needs it goes with it.
  const steps = new Map($$(".steps li[data-step]").map((item) =>
    [item.dataset.step, { box: $("input[name=step][type=checkbox]", item), needs: JSON.parse(item.dataset.needs), mark: item.dataset.mark }]));
  const hunks = $$("input[name=hunk]");
  const closure = $(".closure");
  const stepOf = (box) => box.value.slice(0, box.value.lastIndexOf(":"));
  const markOf = (box) => box.closest("tbody").dataset.mark;
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
      note();
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
      note();
    });
  }

  // Comments on lines: a click on a number, with shift for a range.
  const numbers = (row) => {
    const cells = $$("td.n", row);
    const was = Number(cells[0]?.textContent), is = Number(cells[1]?.textContent);
    return is ? ["after", is] : was ? ["before", was] : null;
  };
  const lineOf = (row) => $$("td.c", row).at(-1)?.textContent ?? "";
  const remark = (row, side, from, to, words) => {
    const table = row.closest("table");
    const path = table.dataset.path;
    const id = `${side}:${from}:${to}:${path}`;
    const there = $$(".remark", table).find((one) => one.dataset.id === id);
    if (there) { $("textarea", there).focus(); return; }
    const tr = document.createElement("tr");
    tr.className = "remark";
    tr.dataset.id = id;
    tr.dataset.line = lineOf(row);
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
    away.addEventListener("click", () => { tr.remove(); note(); });
    label.append(who, place, text);
    td.append(label, away);
    tr.append(td);
    row.after(tr);
    if (words === undefined) text.focus(); else text.value = words;
  };
  let last = null;
  if (form) {
    plan.addEventListener("click", (event) => {
      const cell = event.target.closest?.("td.n");
      const row = cell?.closest("tr");
      if (!row || !row.closest("tbody.hunk")) return;
      // Side by side, the left number means the line as it was.
      const gone = cell.nextElementSibling?.classList.contains("del") && Number(cell.textContent);
      const found = gone ? ["before", gone] : numbers(row);
      if (!found) return;
      const [side, line] = found;
      if (event.shiftKey && last && last.table === row.closest("table") && last.side === side) {
        remark(row, side, Math.min(line, last.line), Math.max(line, last.line));
      } else remark(row, side, line, line);
      last = { table: row.closest("table"), side, line };
    });
    plan.addEventListener("input", (event) => { if (event.target.getAttribute?.("form") === "parts" || event.target.name === "request") note(); });
  }

  // What is kept, and what comes back.
  const where = `/projects/${plan.dataset.project}/plans/${plan.dataset.plan}/notes`;
  const request = form?.elements.request;
  const written = () => {
    const comments = [];
    for (const text of $$("textarea[name=comment]")) {
      if (!text.value.trim()) continue;
      const remarked = text.closest(".remark");
      const place = remarked ? `lines:${remarked.dataset.id}` : $("input[name=place]", text.parentElement)?.value;
      if (place) comments.push({ place, line: remarked?.dataset.line ?? "", text: text.value });
    }
    return comments;
  };
  const notes = () => {
    const left = {}, some = {};
    for (const [id, step] of steps) {
      const all = hunksOf(id);
      if (step.box && !step.box.checked) left[id] = step.mark;
      else if (all.some((box) => !box.checked)) some[id] = all.filter((box) => !box.checked).map(markOf);
    }
    return { plan_id: plan.dataset.plan, reviewed: [...reviewed], left, hunks: some, comments: written(), request: request?.value ?? "" };
  };
  let timer = 0, kept = null, ready = false;
  const send = () => {
    clearTimeout(timer);
    timer = 0;
    const body = JSON.stringify({ token: form.elements.token.value, plan_hash: plan.dataset.hash, notes: notes() });
    if (body === kept) return;
    kept = body;
    // A browser lets a page that goes away send 64 kB.
    fetch(where, { method: "POST", headers: { "content-type": "application/json" }, body, keepalive: body.length < 60_000, redirect: "error" })
      .catch(() => { kept = null; });
  };
  const note = () => { if (form && ready) { clearTimeout(timer); timer = setTimeout(send, 300); } };
  addEventListener("pagehide", () => { if (timer) send(); });
  addEventListener("found", note);

  const restoreComments = (list) => {
    const homeless = [];
    for (const { place, line, text } of list) {
      const [, side, from, to, path] = /^lines:(before|after):(\d+):(\d+):(.*)$/s.exec(place) ?? [];
      const field = $$("input[name=place]").find((one) => one.value === place && !one.closest(".remark"));
      if (field) {
        const area = $("textarea[name=comment]", field.parentElement);
        area.value = text;
        area.closest("details").open = true;
        continue;
      }
      // The line that it was about, wherever it is now.
      const span = Number(to) - Number(from);
      const rows = $$("table.diff").filter((table) => table.dataset.path === path)
        .flatMap((table) => $$("tbody.hunk tr", table)).filter((row) => numbers(row)?.[0] === side && lineOf(row) === line);
      const near = (row) => Math.abs(numbers(row)[1] - Number(to));
      const row = rows.sort((one, other) => near(one) - near(other))[0];
      if (row) { const at = numbers(row)[1]; remark(row, side, Math.max(1, at - span), at, text); }
      else homeless.push(`${path ?? place}${from ? `:${from}` : ""}: ${text}`);
    }
    return homeless;
  };
  const restore = (old) => {
    for (const name of old.reviewed) reviewed.add(name);
    paint();
    if (!form) return;
    const again = [];
    let some = false;
    for (const [id, was] of Object.entries(old.left)) {
      const step = steps.get(id);
      if (!step?.box) continue;
      if (step.mark !== was) { again.push(id); continue; }
      set(id, false);
      drop(id);
      some = true;
    }
    for (const [id, marks] of Object.entries(old.hunks)) {
      const boxes = hunksOf(id).filter((box) => marks.includes(markOf(box)));
      if (boxes.length < marks.length) { if (steps.has(id)) again.push(id); continue; }
      for (const box of boxes) box.checked = false;
      drop(id);
      some = true;
    }
    const state = taken();
    const list = [];
    if (some) list.push(`what you had left out is still left out; ${state}`);
    if (again.length) list.push(`${again.join(", ")} changed since you left something out of it: all of it is ticked again`);
    if (list.length) tell(list.join("; "));
    const homeless = restoreComments(old.comments);
    if (request && !request.value) request.value = old.request;
    if (request && homeless.length) request.value = [request.value, ...homeless].filter(Boolean).join("\n");
    if (request?.value || old.comments.length) $("#changes-form").classList.add("has-words");
  };
  if (form && (steps.size > 1 || hunks.length)) taken();
  (async () => {
    try {
      const response = await fetch(where, { redirect: "error" });
      if (response.ok) restore(await response.json());
    } catch { /* without what was kept, the page is as it came */ }
    paint();
    ready = true;
    plan.dataset.ready = "";
  })();

  heading("Choose");
  key("v", "mark the hunk as reviewed, or not", () => ($("[data-seen]", current() ?? document) ?? $("[data-file-seen]", current()?.closest("article") ?? document))?.click());
  key("f", "mark the file as reviewed and fold it, or not", () => $("[data-file-seen]", current()?.closest("article") ?? document)?.click());
  if (form) {
    key("x", "take the hunk, or leave it out", () => $("input[name=hunk]", current() ?? plan)?.click());
    key("c", "comment on the hunk", () => { const row = $$("tr.add, tr.del, tr", current() ?? plan).find((one) => numbers(one)); if (row) remark(row, ...numbers(row), numbers(row)[1]); });
  }
}
