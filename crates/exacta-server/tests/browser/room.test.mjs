// The review room in a real browser: every page, every action, and everything that must not
// happen.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { after, before, test } from "node:test";
import { Project, accessible, browser as launch, doorOf, keptOf, pause, readAll, signIn, until, window as open } from "./room.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const shots = process.env.EXACTA_SCREENSHOTS;
const numbered = (count, change = {}) => Array.from({ length: count }, (_, at) => change[at + 1] ?? `line ${at + 1}`).join("\n") + "\n";
const SHOP = `import os\n\n\ndef price(items):\n    total = 0\n    for item in items:\n        total += item.price\n    return total\n\n\ndef ship(order):\n    return order.address\n`;
const SHOP_NEW = `import os\nimport subprocess\n\n\ndef price(items, discount=0):\n    total = 0\n    for item in items:\n        total += item.price\n    return total - discount\n\n\ndef ship(order):\n    subprocess.run(["notify", order.address])\n    return order.address\n`;
const files = {
  "src/shop.py": SHOP,
  "src/long.txt": numbered(120),
  "docs/guide.md": "# Guide\n\nHow to use the shop.\n",
  "README.md": "# Shop\n",
};

let project, place, chrome, page;
const url = (path) => `${place.url}${path}`;
const planUrl = (id) => url(`/projects/${place.projects[0].project_id}/plans/${id}`);
const runUrl = (id) => url(`/projects/${place.projects[0].project_id}/runs/${id}`);
const state = (id) => project.json(["status", id, "--json"]).standing;

// Four steps: two chained, one alone, one with three hunks.
const big = (goal = "give the shop discounts") => ({
  goal, assumptions: ["the till is open"],
  steps: [
    { step_id: "code", title: "discounts", description: "adds a discount", type: "file_modify", target: "src/shop.py", content: SHOP_NEW, dependencies: [] },
    { step_id: "guide", title: "guide", type: "file_modify", target: "docs/guide.md", content: "# Guide\n\nHow to use the shop and its discounts.\n", dependencies: ["code"] },
    { step_id: "hook", title: "hook", type: "file_create", target: ".github/workflows/ci.yml", content: "on: push\njobs: {}\n", dependencies: [] },
    { step_id: "long", title: "long", type: "file_modify", target: "src/long.txt", content: numbered(120, { 2: "second", 60: "sixtieth", 119: "last but one" }), dependencies: [] },
  ],
});
const small = (goal = "two words for the readme", path = "README.md", text = "# The shop\n") => ({
  goal, steps: [{ step_id: "step_1", title: "readme", type: project.has(path) ? "file_modify" : "file_create", target: path, content: text, requires_approval: true }],
});
const shot = async (name, of = page, full = false) => {
  if (!shots) return;
  mkdirSync(shots, { recursive: true });
  await of.screenshot({ path: join(shots, `${name}.png`), fullPage: full });
};
// The page before it is live, and may just be loading itself again.
const go = async (to, of = page) => {
  for (let tries = 1; ; tries += 1) {
    try { await of.goto(to); break; } catch (error) { if (tries === 20 || !String(error).includes("interrupted by another navigation")) throw error; await pause(300); }
  }
  await of.waitForLoadState("load");
};
// Somebody may have seen all of it already: the same plan was on screen before.
const decideUnseen = async (of = page) => { const box = of.locator("input[name=unseen]"); if (await box.isVisible()) await box.check(); };
const approveAll = async (of = page) => { await readAll(of); await of.waitForSelector("#approve[aria-disabled=false]"); await of.click("#approve"); await of.waitForURL(/done=approved/); };

// On a busy machine the plan's page comes back first, and leads on once the run is there.
const startRun = async () => {
  await page.click("#run");
  await page.waitForURL(/runs\/|done=started/, { timeout: 30_000 });
  if (!page.url().includes("/runs/")) await page.click("text=Its run", { timeout: 30_000 });
  await page.waitForURL(/runs\//);
  await page.waitForSelector(".run:not([data-under-way]), .asks", { timeout: 30_000 });
};

before(async () => {
  // An editor that only notes what it was asked to open.
  project = new Project(files, '[tools]\neditor = ["/bin/sh", "-c", "echo $0:$1 >> $HOME/opened", "{file}", "{line}"]\n');
  await project.credential();
  place = await project.serve();
  chrome = await launch();
  page = await open(chrome, place);
});
after(async () => {
  await chrome?.close();
  await project?.stop();
});

test("nothing is shown before somebody signs in, and a wrong credential opens nothing", async () => {
  for (const path of ["/", `/projects/${place.projects[0].project_id}/record`, `/projects/${place.projects[0].project_id}/policy`]) {
    await go(url(path));
    assert.equal(new URL(page.url()).pathname, "/sign-in");
    assert.ok(!(await page.content()).includes("shop"));
  }
  assert.deepEqual(await accessible(page), []);
  await shot("sign-in");
  page.expected.push("401");
  await page.fill("input[name=credential]", "not it");
  await page.click("button.primary");
  await page.waitForSelector("text=Nothing was done");
  page.expected.pop();
  await signIn(page, place);
  assert.equal(await page.textContent("h1"), "Inbox");
});

test("a plan says first what will happen and why somebody is asked, then everything else", async () => {
  const { plan_id } = project.propose(big());
  await go(planUrl(plan_id));
  const text = await page.textContent("main");
  const order = ["Running it creates .github/workflows/ci.yml and changes 3 files", "Why you are asked", "Risk", "Quality", "Constraints", "Steps", "Changes", "The planner's words"];
  let at = -1;
  for (const words of order.map((one) => one === order[0] ? "Running it" : one)) {
    const found = text.indexOf(words, at + 1);
    assert.ok(found > at, `${words} stands in its place`);
    at = found;
  }
  // Words that differ are marked, code has colours, both numbers stand beside a line.
  assert.ok(await page.locator("tr.add .aw").count() > 0);
  assert.ok(await page.locator("td.c .k").count() > 0, "keywords are coloured");
  // A finding leads to its line.
  const jump = page.locator("a.jump").first();
  const target = await jump.getAttribute("href");
  assert.equal(await page.locator(target).count(), 1, "the line is there");
  await jump.click();
  assert.equal(new URL(page.url()).hash, target);
  // The tree counts, the graph is drawn, the planner's words stand apart.
  assert.equal(await page.locator(".tree .file").count(), 4);
  assert.equal(await page.locator(".graph .node").count(), 4);
  assert.ok((await page.textContent(".untrusted")).includes("the till is open"));
  assert.deepEqual(await accessible(page), []);
  await page.evaluate(() => window.scrollTo(0, 0));
  await shot("plan");
  await shot("plan-full", page, true);
  await page.keyboard.press("u");
  await page.waitForURL(/view=split/);
  await page.waitForSelector("table.diff.split");
  assert.deepEqual(await accessible(page), []);
  await page.locator("#f2").scrollIntoViewIfNeeded();
  await shot("plan-split");
});

test("lines around a change open to the whole file, with and without a script", async () => {
  const { plan_id } = project.propose(big());
  await go(planUrl(plan_id));
  const table = page.locator("table[data-path='src/long.txt']");
  while (await table.locator("a.expand").count()) await table.locator("a.expand").first().click().then(() => pause(120));
  const shown = await table.locator("tr").evaluateAll((rows) => rows.map((row) => row.children[1]?.textContent).filter((text) => /^\d+$/.test(text ?? "")).map(Number));
  assert.deepEqual(shown, Array.from({ length: 120 }, (_, at) => at + 1), "every line is there once, in order");
  const plain = await open(chrome, place, { javaScriptEnabled: false, storageState: await page.context().storageState() });
  await go(planUrl(plan_id), plain);
  await plain.locator("table[data-path='src/long.txt'] a.expand").nth(0).click();
  await plain.waitForSelector("text=line 30");
  await plain.context().close();
});

test("approve opens once everything was on screen or the box is ticked; then it runs once and can be undone", async () => {
  const { plan_id } = project.propose(big("discounts that nobody has looked at"));
  await go(planUrl(plan_id));
  assert.equal(await page.getAttribute("#approve", "aria-disabled"), "true");
  await page.click("#approve", { force: true });
  assert.equal(state(plan_id), "pending", "a shut button sends nothing");
  await page.check("input[name=unseen]");
  assert.equal(await page.getAttribute("#approve", "aria-disabled"), "false");
  await page.uncheck("input[name=unseen]");
  await approveAll();
  assert.equal(state(plan_id), "user_approved");
  assert.deepEqual(await accessible(page), []);
  await startRun();
  await page.waitForSelector("text=Everything it promised is done");
  assert.equal(project.read("src/shop.py"), SHOP_NEW);
  assert.equal(await page.locator(".graph .node.done").count(), 4);
  assert.deepEqual(await accessible(page), []);
  await shot("run");
  // Somebody edits: the undo refuses with the list, and touches nothing.
  const run = new URL(page.url()).pathname;
  project.write("src/shop.py", "edited\n");
  page.expected.push("409");
  await page.click("button[value=undo]");
  await page.waitForSelector("text=It cannot be taken back as it is");
  assert.ok((await page.textContent("main")).includes("src/shop.py"));
  page.expected.pop();
  assert.equal(project.read("src/shop.py"), "edited\n");
  await shot("run-conflict");
  project.write("src/shop.py", SHOP_NEW);
  await go(url(run));
  await page.keyboard.press("u");
  await page.waitForURL((to) => to.pathname !== run);
  assert.equal(project.read("src/shop.py"), SHOP);
  assert.ok(!project.has(".github/workflows/ci.yml"));
});

test("selection: what a step needs comes along, what cannot do without it goes; only that runs", async () => {
  const { plan_id } = project.propose(big());
  await go(planUrl(plan_id));
  const box = (step) => page.locator(`li[data-step='${step}'] input[name=step]`);
  await box("code").uncheck();
  assert.equal(await box("guide").isChecked(), false, "guide needs code");
  assert.match(await page.textContent(".closure"), /guide cannot run without code/);
  await box("guide").check();
  assert.equal(await box("code").isChecked(), true);
  assert.match(await page.textContent(".closure"), /guide needs code: taken with it/);
  await box("code").uncheck();
  await box("hook").uncheck();
  await shot("plan-select");
  await decideUnseen();
  await page.click("#take-some");
  await page.waitForURL(/done=selected/);
  assert.equal(state(plan_id), "expired");
  const derived = new URL(page.url()).pathname.split("/").pop();
  assert.notEqual(derived, plan_id);
  await startRun();
  assert.match(project.read("src/long.txt"), /sixtieth/);
  assert.equal(project.read("docs/guide.md"), files["docs/guide.md"]);
  await page.click("button[value=undo]");
  await until(() => project.read("src/long.txt") === files["src/long.txt"], "it is undone");
});

test("a selection that misses what it needs is refused with the list, without a script too", async () => {
  const { plan_id } = project.propose(big());
  const plain = await open(chrome, place, { javaScriptEnabled: false, storageState: await page.context().storageState() });
  await go(planUrl(plan_id), plain);
  await plain.uncheck("li[data-step=code] input[name=step]");
  await plain.check("input[name=unseen]");
  plain.expected.push("422");
  await plain.click("#take-some");
  await plain.waitForSelector(".notice.bad");
  assert.match(await plain.textContent(".notice.bad"), /guide.*needs.*code/s);
  assert.equal(state(plan_id), "pending");
  // Without scripts, nothing opens by itself: the box has to be ticked.
  await go(planUrl(plan_id), plain);
  await plain.click("#approve");
  await plain.waitForSelector("text=not all of it was on screen");
  assert.equal(state(plan_id), "pending");
  await plain.check("input[name=unseen]");
  await plain.click("#approve");
  await plain.waitForURL(/done=approved/);
  assert.equal(state(plan_id), "user_approved");
  await plain.click("button[value=renew]");
  await plain.waitForURL(/done=renewed/);
  assert.deepEqual(plain.faults, []);
  await plain.context().close();
});

test("hunks: some are taken, the rest goes back with comments on lines, in one act", async () => {
  const { plan_id } = project.propose(big());
  await go(planUrl(plan_id));
  const hunk = (number) => page.locator(`input[name=hunk][value='long:${number}']`);
  assert.equal(await page.locator("input[name=hunk]").count(), await page.locator("tbody.hunk input[name=hunk]").count());
  await hunk(2).uncheck();
  assert.match(await page.textContent(".closure"), /1 in part/);
  for (const step of ["code", "hook"]) await page.uncheck(`li[data-step='${step}'] input[name=step]`);
  // A comment on one line, and one on a range.
  const row = page.locator("table[data-path='src/long.txt'] tr.add", { hasText: "sixtieth" });
  await row.locator("td.n").nth(1).click();
  await page.keyboard.type("sixty was right");
  await page.keyboard.press("Escape");
  await page.keyboard.press("m");
  await page.fill("textarea[name=request]", "keep the middle");
  await decideUnseen();
  await shot("plan-parts");
  assert.deepEqual(await accessible(page), []);
  await page.click("button[value=parts]");
  await page.waitForURL(/done=parts/);
  const original = project.json(["status", plan_id, "--json"]);
  assert.equal(original.standing, "expired");
  for (const words of ["keep the middle", "src/long.txt:60: sixty was right", "not taken: `code`", "`long` hunk 2"]) assert.ok(original.ended_because.includes(words), original.ended_because);
  await startRun();
  assert.equal(project.read("src/long.txt"), numbered(120, { 2: "second", 119: "last but one" }));
  assert.equal(project.read("src/shop.py"), SHOP);
  await page.click("button[value=undo]");
  await until(() => project.read("src/long.txt") === files["src/long.txt"], "it is undone");
});

test("a plan that answers a request for changes says what changed since", async () => {
  const first = project.propose(big());
  await go(planUrl(first.plan_id));
  await page.keyboard.press("m");
  await page.fill("textarea[name=request]", "no hook, please");
  await page.click("button[value=changes]");
  await page.waitForURL(/done=changes/);
  assert.equal(state(first.plan_id), "changes_requested");
  const again = big();
  again.steps.splice(2, 1);
  again.steps[0].content = SHOP_NEW.replace("notify", "tell");
  const second = project.propose(again, ["--parent", first.plan_id]);
  await go(planUrl(second.plan_id));
  const since = await page.textContent(".since");
  assert.match(since, /no hook, please/);
  assert.match(since, /\.github\/workflows\/ci\.yml is no longer touched/);
  assert.match(since, /src\/shop\.py differs from the plan before/);
  await page.click(".since details summary");
  assert.ok(await page.locator(".since tr.add").count() > 0);
  assert.match(await page.textContent("article[data-path='docs/guide.md'] header"), /as in the plan before/);
  assert.deepEqual(await accessible(page), []);
  await shot("plan-since");
});

test("reject takes a reason, postponing keeps the plan, renewing opens the fresh one", async () => {
  const { plan_id } = project.propose(small());
  await go(planUrl(plan_id));
  await page.keyboard.press("z");
  await page.waitForURL(/done=paused/);
  assert.equal(state(plan_id), "paused");
  await page.keyboard.press("w");
  await page.waitForURL(/done=renewed/);
  const fresh = new URL(page.url()).pathname.split("/").pop();
  assert.notEqual(fresh, plan_id);
  assert.equal(state(fresh), "pending");
  await page.keyboard.press("R");
  await page.keyboard.type("not now");
  await shot("plan-reject");
  await page.click("button[value=reject]");
  await page.waitForURL(/done=rejected/);
  assert.equal(state(fresh), "rejected");
  assert.match(project.json(["status", fresh, "--json"]).ended_because, /not now/);
  assert.equal(await page.locator("#approve").count(), 0);
});

test("two windows: what one decides, the other sees, and a stale approval is refused", async () => {
  const { plan_id, plan_hash } = project.propose(small("two windows"));
  const other = await open(chrome, place, { storageState: await page.context().storageState() });
  await go(planUrl(plan_id));
  await go(planUrl(plan_id), other);
  const token = await other.getAttribute("#parts input[name=token]", "value");
  await approveAll();
  await other.waitForSelector(".plan[data-state=user_approved]", { timeout: 8000 });
  // What the other window would have sent comes too late.
  const late = await other.evaluate(async ([to, token, hash]) => {
    const body = new URLSearchParams({ token, plan_hash: hash, act: "approve", unseen: "yes" });
    const answer = await fetch(`${to}/decide`, { method: "POST", body });
    return [answer.status, await answer.text()];
  }, [planUrl(plan_id), token, plan_hash]).catch((error) => [0, String(error)]);
  other.expected.push("409");
  assert.equal(late[0], 409, late[1].slice(0, 300));
  // A form of another plan, or none, does nothing.
  const second = project.propose(small("another", "NOTES.md", "notes\n"));
  const forged = await page.evaluate(async ([to, token, hash]) => {
    const send = async (fields) => (await fetch(`${to}/decide`, { method: "POST", body: new URLSearchParams(fields) })).status;
    return [await send({ token, plan_hash: hash, act: "approve", unseen: "yes" }), await send({ plan_hash: hash, act: "approve", unseen: "yes" })];
  }, [planUrl(second.plan_id), token, second.plan_hash]);
  assert.deepEqual(forged, [403, 403]);
  assert.equal(state(second.plan_id), "pending");
  page.faults = page.faults.filter((one) => !one.includes("403"));
  other.faults = other.faults.filter((one) => !one.includes("409"));
  assert.deepEqual(other.faults, []);
  await other.context().close();
});

test("the inbox is live: what comes in from elsewhere appears, with age, deadline and risk", async () => {
  await go(url("/"));
  const before = await page.locator("section.group").first().locator(".item").count();
  const { plan_id } = project.propose(small("a plan from elsewhere", "NEW.md", "new\n"));
  await page.waitForSelector(`a[href$='/plans/${plan_id}']`, { timeout: 8000 });
  assert.equal(await page.locator("section.group").first().locator(".item").count(), before + 1);
  const item = await page.locator(".item", { hasText: "a plan from elsewhere" }).textContent();
  for (const words of ["expires in", "risk", "shop"]) assert.ok(item.includes(words), item);
  assert.equal(await page.locator("section.group").count(), 4);
  assert.equal(await page.locator("section.group[aria-label='Waiting for you'] .item", { hasText: "a plan from elsewhere" }).count(), 1);
  assert.deepEqual(await accessible(page), []);
  await shot("inbox");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForURL(/plans/);
});

test("a plan that expires while somebody looks says so at once and offers to renew it", async () => {
  const { plan_id } = project.propose(small("soon out of date"));
  await go(planUrl(plan_id));
  project.write("README.md", "# Changed meanwhile\n");
  project.run(["approve", plan_id, "--credential", join(project.folder, "secret")]);
  await page.waitForSelector(".plan[data-state=expired]", { timeout: 10_000 });
  assert.match(await page.textContent("main"), /files changed since/);
  assert.equal(await page.locator("#approve").count(), 0);
  await shot("plan-expired");
  await page.click("button[value=renew]");
  await page.waitForURL(/done=renewed/);
  project.write("README.md", files["README.md"]);
});

test("awkward and hostile texts are shown as text", async () => {
  const strings = JSON.parse(readFileSync(join(here, "../../../../corpus/blns/blns.json"), "utf8"));
  const text = strings.map((one) => one.replaceAll("\r", "").replaceAll("\n", " ")).join("\n") + "\n";
  const hostile = [
    "<script>window.hacked = 1</script>", "<img src=x onerror=\"window.hacked = 1\">", "</textarea></title><svg onload=window.hacked=1>",
    "javascript:window.hacked=1", "\"><a href=//evil.example/>", "'; window.hacked = 1; //", "<style>*{display:none}</style>", "‮gnp.exe", "a​b",
  ];
  const draft = {
    goal: hostile.join(" "), assumptions: hostile,
    steps: [
      { step_id: "strings", title: hostile[0], description: hostile.join("\n"), type: "file_create", target: "strings.txt", content: text, dependencies: [] },
      { step_id: "page", title: "x", type: "file_create", target: "page.html", content: hostile.join("\n") + "\n", dependencies: [] },
      { step_id: "name", title: "x", type: "file_create", target: "a<b onload=alert(1)>&'.txt", content: "x\n", dependencies: [] },
    ],
  };
  const { plan_id } = project.propose(draft);
  await go(planUrl(plan_id));
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  const rows = await page.locator("article[data-path='strings.txt'] tr.add td.c").evaluateAll((cells) => cells.map((cell) => cell.textContent.replace(/ no newline at the end$/, "")));
  assert.equal(rows.length, text.split("\n").length - 1, "every string is there");
  // Plain ones stand there as they are; what does not show is spelled out.
  strings.filter((one) => /^[\x21-\x3b\x3d-\x7e]([\x20-\x3b\x3d-\x7e]*[\x21-\x3b\x3d-\x7e])?$/.test(one)).forEach((one) => assert.ok(rows.includes(one), one));
  const page_rows = await page.locator("article[data-path='page.html'] td.c").allTextContents();
  assert.ok(page_rows.includes(hostile[0]) && page_rows.includes(hostile[1]));
  assert.ok(await page.locator(".hid", { hasText: "U+202E" }).count() > 0);
  assert.ok(await page.locator(".hid", { hasText: "U+200B" }).count() > 0);
  assert.equal(await page.locator("main script, main img, main style, main iframe").count(), 0);
  await go(url("/"));
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.ok((await page.textContent("#inbox")).includes("<script>window.hacked = 1</script>"));
  await shot("hostile-inbox");
});

test("all 515 strings in every field of words are text, before and after a decision", async () => {
  const strings = JSON.parse(readFileSync(join(here, "../../../../corpus/blns/blns.json"), "utf8"));
  const one = strings.join("\n");
  const { plan_id } = project.propose({
    goal: one, assumptions: strings, inputs: { strings },
    steps: [{ step_id: "words", title: one, description: one, type: "file_create", target: "words.txt", content: `${one}\n`, requires_approval: true }],
  }, ["--intent", one.replaceAll("\0", "")]);
  const plain = strings.filter((text) => /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/\\|  /.test(text));
  assert.ok(plain.length > 200);
  const harmless = async (where) => {
    const shown = (await page.evaluate((where) => document.querySelector(where).textContent, where)).replaceAll(/\s+/g, " ");
    for (const text of plain) assert.ok(shown.includes(text), `${where}: ${text}`);
    assert.equal(await page.locator("main script, main img, main style, main iframe, main object, main embed, main link, main [onclick], main [onerror], main [onload]").count(), 0);
    assert.equal(await page.locator("main a[href^='javascript'], main a[href^='data'], main a[href^='//'], main a[href^='http']").count(), 0);
  };
  await go(planUrl(plan_id));
  await harmless("main");
  await harmless("article[data-path='words.txt']");
  await page.keyboard.press("R");
  await page.fill("textarea[name=reason]", one.replaceAll("\0", ""));
  await page.click("button[value=reject]");
  await page.waitForURL(/done=rejected/);
  await harmless(".life");
  await go(url(`/projects/${place.projects[0].project_id}/record`));
  await harmless(".timeline");
  // What was written is one line of the record each, whatever it holds.
  for (const line of project.run(["log", "--json"]).stdout.trim().split("\n")) JSON.parse(line);
});

test("what was reviewed, left out and written stays through a reload, a renewal and a restart", async () => {
  const { plan_id } = project.propose(big("words that must not be lost"));
  await go(planUrl(plan_id));
  await page.waitForSelector(".plan[data-ready]");
  await page.locator("input[name=hunk][value='long:2']").uncheck();
  await page.uncheck("li[data-step=hook] input[name=step]");
  await page.uncheck("li[data-step=code] input[name=step]");
  await page.locator("table[data-path='src/long.txt'] [data-seen]").first().check();
  await page.locator("article[data-path='docs/guide.md'] [data-file-seen]").check();
  assert.equal(await page.locator("article[data-path='docs/guide.md'] table").isVisible(), false, "what is reviewed is folded");
  const row = page.locator("table[data-path='src/long.txt'] tr.add", { hasText: "sixtieth" });
  await row.locator("td.n").nth(1).click();
  await page.keyboard.type("sixty was right");
  await page.keyboard.press("Escape");
  await page.locator("li[data-step=guide] details.comment summary").click();
  await page.locator("li[data-step=guide] textarea").fill("shorter, please");
  await page.keyboard.press("Escape");
  await page.keyboard.press("m");
  const saved = page.waitForResponse((answer) => answer.url().endsWith("/notes") && answer.request().method() === "POST" && answer.request().postData().includes("keep the middle"));
  await page.fill("textarea[name=request]", "keep the middle");
  assert.equal((await saved).status(), 204);
  const still = async (of, changed = false) => {
    await of.waitForSelector(".plan[data-ready]");
    assert.equal(await of.locator("input[name=hunk][value='long:2']").isChecked(), false);
    assert.equal(await of.locator("input[name=hunk][value='long:1']").isChecked(), true);
    assert.equal(await of.locator("li[data-step=hook] input[name=step]").isChecked(), false);
    assert.equal(await of.locator("li[data-step=code] input[name=step]").isChecked(), changed, "what changed is ticked again");
    assert.equal(await of.locator("table[data-path='src/long.txt'] [data-seen]").first().isChecked(), true);
    assert.equal(await of.locator("article[data-path='docs/guide.md'] [data-file-seen]").isChecked(), true);
    assert.equal(await of.locator(".remark textarea").inputValue(), "sixty was right");
    assert.equal(await of.locator("li[data-step=guide] textarea").inputValue(), "shorter, please");
    assert.equal(await of.locator("textarea[name=request]").inputValue(), "keep the middle");
    if (changed) assert.match(await of.textContent(".closure"), /code changed since you left something out of it/);
  };
  await go(planUrl(plan_id));
  await still(page);
  // Another browser of the same person.
  const other = await open(chrome, place);
  await signIn(other, place);
  await go(planUrl(plan_id), other);
  await still(other);
  await other.context().close();
  // A file of a step that was left out changes; renewing keeps the rest.
  project.write("src/shop.py", SHOP.replace("import os", "import os  # for later"));
  await page.waitForSelector(".plan[data-state=expired], .over-note", { timeout: 10_000 });
  await page.click("button[value=renew]");
  await page.waitForURL(/done=renewed/);
  await still(page, true);
  const renewed = new URL(page.url()).pathname.split("/").pop();
  // The server stops and starts; a fresh plan waits, with everything that was written.
  await project.close();
  place = await project.serve();
  const waiting = project.json(["list", "--json"]).filter((plan) => plan.state === "pending" && plan.goal === "words that must not be lost");
  assert.equal(waiting.length, 1);
  assert.notEqual(waiting[0].plan_id, renewed);
  const fresh = await open(chrome, place);
  await signIn(fresh, place);
  await go(planUrl(waiting[0].plan_id), fresh);
  await still(fresh, true);
  // Nobody else's page and no form of another plan writes there.
  const forged = await fresh.evaluate(async (to) => {
    const send = async (body) => (await fetch(to, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) })).status;
    const notes = { plan_id: document.querySelector(".plan").dataset.plan, reviewed: [], left: {}, hunks: {}, comments: [], request: "" };
    const { hash } = document.querySelector(".plan").dataset, token = document.querySelector("#parts").elements.token.value;
    return [await send({ token: "made up", plan_hash: hash, notes }), await send({ token, plan_hash: "0".repeat(64), notes }), await send({ token, plan_hash: hash, notes: { ...notes, plan_id: "another" } })];
  }, `${planUrl(waiting[0].plan_id)}/notes`);
  assert.deepEqual(forged, [403, 403, 400]);
  fresh.faults = fresh.faults.filter((one) => !/40[03]/.test(one));
  // Decided: what was written has been sent.
  await fresh.check("input[name=unseen]");
  await fresh.click("#changes-form summary").catch(() => {});
  await fresh.evaluate(() => { document.querySelector("#changes-form").open = true; });
  await fresh.click("button[value=changes]");
  await fresh.waitForURL(/done=changes/);
  const ended = project.json(["status", waiting[0].plan_id, "--json"]).ended_because;
  for (const words of ["keep the middle", "src/long.txt:60: sixty was right", "shorter, please"]) assert.ok(ended.includes(words), ended);
  assert.deepEqual(fresh.faults, []);
  await fresh.context().close();
  project.write("src/shop.py", SHOP);
  page.faults = page.faults.filter((one) => !/ERR_|Failed to load/.test(one));
  await page.context().close();
  page = await open(chrome, place);
  await signIn(page, place);
});

test("blocks that moved and changes of white space are marked", async () => {
  const block = ["def moved(alpha, beta):", "    gamma = alpha + beta", "    return gamma * beta"].join("\n");
  project.write("src/one.py", `${block}\n\n\nfirst = 1\n`);
  project.write("src/two.py", "second = 2\n\n\n");
  project.write("src/spaces.txt", "one two\nthree\n");
  project.write("src/plain.py", "def first():\n    return 1\n\n\ndef second():\n    return 2\n");
  const { plan_id } = project.propose({ goal: "move a function to src/two.py", steps: [
    { step_id: "from", title: "src/one.py", type: "file_modify", target: "src/one.py", content: "first = 1\n", dependencies: [] },
    { step_id: "to", title: "src/two.py", type: "file_modify", target: "src/two.py", content: `second = 2\n\n\n${block}\n`, dependencies: [] },
    { step_id: "spaces", title: "src/spaces.txt", type: "file_modify", target: "src/spaces.txt", content: "one  two\nthree\n", dependencies: [], requires_approval: true },
    { step_id: "plain", title: "src/plain.py", type: "file_modify", target: "src/plain.py", content: "def first():\n    return 1\n\n\n# What comes after the first one.\ndef second():\n    return 2\n", dependencies: [] },
  ] });
  await go(planUrl(plan_id));
  assert.equal(await page.locator("article[data-path='src/one.py'] tr.del.mv").count(), 3);
  assert.match(await page.getAttribute("article[data-path='src/two.py'] tr.add.mv", "title"), /moved from src\/one\.py:1/);
  assert.match(await page.textContent("article[data-path='src/spaces.txt']"), /only white space differs/);
  assert.match(await page.textContent("article[data-path='src/plain.py']"), /only comments and layout differ/);
  assert.ok(!(await page.textContent("article[data-path='src/two.py']")).includes("only comments and layout differ"));
});

// Mail that is sorted: the step that writes asks when its turn comes, with what it was given.
const triage = (number) => {
  const mail = join(project.folder, `in${number}.eml`);
  writeFileSync(mail, `From: Ann <ann@corp.example>\nSubject: Urgent: budget ${number}\nMessage-ID: <${number}@x>\n\nWhen? <b onclick=alert(1)>now</b>\n`);
  const draft = project.run(["recipe", "plan", "InboxTriage", "--intent", `sort my mail ${number}`, "--inbox", mail]).stdout;
  return project.propose(draft, ["--intent", `sort my mail ${number}`]);
};

test("a step of a run waits for a person with its arguments in view; yes lets it act, no takes the run back, cancel stops it", async () => {
  const start = async (number) => {
    const { plan_id } = triage(number);
    await go(planUrl(plan_id));
    if (await page.locator("#approve").count()) {
      await decideUnseen();
      await page.click("#approve");
      await page.waitForURL(/done=approved/);
    }
    await startRun();
    await page.waitForSelector(".asks", { timeout: 15_000 });
  };
  await start(1);
  assert.match(await page.textContent("h1"), /waits for you/);
  assert.ok((await page.textContent(".asks")).includes("ann@corp.example"), "the arguments are shown");
  assert.equal(await page.locator(".graph .node.ask").count(), 1);
  assert.equal(await page.locator(".asks b").count(), 0, "what the mail says is text");
  assert.deepEqual(await accessible(page), []);
  await shot("run-step");
  const other = await open(chrome, place, { storageState: await page.context().storageState() });
  await go(page.url(), other);
  await page.click("button[value=allow]");
  for (const of of [page, other]) await of.waitForSelector("h1:has-text('Everything it promised is done')", { timeout: 15_000 });
  assert.deepEqual(other.faults, []);
  await other.context().close();
  await shot("run-tools");
  await start(2);
  await page.fill("textarea[name=reason]", "not this mail");
  await page.click("button[value=decline]");
  await page.waitForSelector("h1:has-text('rolled back')", { timeout: 15_000 });
  assert.match(await page.textContent("main"), /not this mail/);
  await start(3);
  await page.click("button[value=cancel]");
  await page.waitForSelector("h1:has-text('rolled back')", { timeout: 15_000 });
});

test("the record can be read and verified, a checkpoint be kept; the policy says where values come from", async () => {
  await go(url(`/projects/${place.projects[0].project_id}/record`));
  assert.ok(await page.locator(".timeline li").count() > 20);
  await page.keyboard.press("v");
  await page.waitForSelector("text=The record hangs together");
  assert.deepEqual(await accessible(page), []);
  await shot("record");
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("text=Download a checkpoint")]);
  const kept = await download.path();
  const checked = project.run(["verify", "--against", kept, "--json"]);
  assert.equal(checked.status, 0, checked.stdout + checked.stderr);
  await go(url(`/projects/${place.projects[0].project_id}/policy`));
  const text = await page.textContent("main");
  assert.match(text, /decide/);
  assert.match(text, /operator/);
  assert.match(text, /What asks most/);
  assert.deepEqual(await accessible(page), []);
  await shot("policy");
});

test("every key is told, a phone and a dark room show everything without scrolling sideways", async () => {
  const { plan_id } = project.propose(big("look at it on a phone"));
  await go(planUrl(plan_id));
  await page.keyboard.press("?");
  const told = await page.textContent("dialog");
  for (const words of ["approve", "reject", "request changes", "postpone", "renew", "next hunk", "next file", "comment"]) assert.ok(told.includes(words), words);
  assert.deepEqual(await accessible(page), []);
  await shot("keys");
  await page.keyboard.press("Escape");
  const stored = await page.context().storageState();
  for (const [name, options] of [["phone", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }], ["dark", { colorScheme: "dark" }]]) {
    const small = await open(chrome, place, { ...options, storageState: stored });
    const id = place.projects[0].project_id;
    for (const [what, to] of [["inbox", url("/")], ["plan", planUrl(plan_id)], ["record", url(`/projects/${id}/record`)], ["policy", url(`/projects/${id}/policy`)]]) {
      await go(to, small);
      const over = await small.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(over <= 1, `${what} on ${name} is ${over} pixels too wide`);
      assert.deepEqual(await accessible(small), [], `${what} ${name}`);
      await shot(`${what}-${name}`, small);
      if (what === "plan") { await small.locator("#changes").scrollIntoViewIfNeeded(); await small.evaluate(() => document.querySelector("#f2")?.scrollIntoView()); await shot(`diff-${name}`, small); }
    }
    await go(`${runUrl(project.json(["list", "--json"]).find((one) => one.run_id).run_id)}`, small);
    await shot(`run-${name}`, small);
    assert.deepEqual(await accessible(small), [], `run ${name}`);
    assert.deepEqual(small.faults, []);
    await small.context().close();
  }
});

test("a plan of 200 files and 20,000 changed lines is painted within a second, and all of it can be found", async () => {
  const steps = [];
  for (let file = 0; file < 200; file += 1) {
    project.write(`big/part${file}.txt`, Array.from({ length: 60 }, (_, at) => `old ${file} ${at}`).join("\n") + "\n");
    steps.push({ step_id: `part-${file}`, title: `big/part${file}.txt`, type: "file_modify", target: `big/part${file}.txt`, content: Array.from({ length: 50 }, (_, at) => `new ${file} ${at} needle${file}x${at}`).join("\n") + "\n", dependencies: [] });
  }
  const { plan_id } = project.propose({ goal: "rewrite big/", steps });
  await go(planUrl(plan_id));
  const paint = [];
  for (let times = 0; times < 3; times += 1) {
    await page.goto("about:blank");
    await page.goto(planUrl(plan_id), { waitUntil: "commit" });
    paint.push(await until(() => page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime), "the first paint", 20_000));
  }
  await page.waitForLoadState("load");
  const size = await page.evaluate(() => performance.getEntriesByType("navigation")[0].encodedBodySize);
  console.log(`# 200 files, 20,000+ lines: first paint ${paint.map(Math.round).join(", ")} ms, ${size} bytes`);
  assert.ok(await page.locator("tr.add").count() === 10_000 && await page.locator("tr.del").count() === 12_000);
  // From the top, wherever the cursor was left.
  await until(() => page.evaluate(() => { getSelection().removeAllRanges(); return window.find("needle199x49", false, false, true); }), "find in page works");
  assert.ok(Math.min(...paint) < 1000, `first paint after ${paint} ms`);
  const memory = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${project.server.pid}/status`, "utf8"))[1]) / 1024;
  console.log(`# the server took ${Math.round(memory)} MiB at most`);
  assert.ok(memory < 200, `${memory} MiB`);
});

test("a typical plan's page is small, and nothing went wrong in any window", async () => {
  const { plan_id } = project.propose(big("a typical one"));
  await go(planUrl(plan_id));
  const size = await page.evaluate(() => performance.getEntriesByType("navigation")[0].encodedBodySize);
  const all = await page.evaluate(() => performance.getEntriesByType("resource").reduce((sum, one) => sum + one.encodedBodySize, 0));
  console.log(`# a typical page: ${size} bytes as sent, ${all} bytes of style and script`);
  assert.ok(size < 100_000);
  assert.deepEqual(page.faults, []);
});

// Sends a form as a page of ours would, and says what came back.
const sent = (to, body, kind) => page.evaluate(async ([to, body, kind]) => {
  const answer = await fetch(to, { method: "POST", body: kind ? body : new URLSearchParams(body), headers: kind ? { "content-type": kind } : {} });
  return [answer.status, await answer.text()];
}, [to, body, kind]);

test("a file opens in the operator's editor at its line, for who sits at this machine", async () => {
  const { plan_id } = project.propose(big("look into files"));
  await go(planUrl(plan_id));
  await page.locator("article.file", { hasText: "src/long.txt" }).locator("form.open button").click();
  const opened = join(project.folder, "opened");
  await until(() => existsSync(opened), "the editor");
  assert.equal(readFileSync(opened, "utf8").trim(), `${join(project.root, "src/long.txt")}:2`);
  // Without a script the form does the same; another path or a foreign form does nothing.
  const fields = await page.locator("form.open").first().evaluate((form) => Object.fromEntries(new FormData(form)));
  const send = async (more) => (await sent(`${planUrl(plan_id)}/open`, { ...fields, ...more }))[0];
  page.expected.push("404", "400", "403");
  assert.equal(await send({ path: "README.md" }), 404);
  assert.equal(await send({ path: "../secret" }), 400);
  assert.equal(await send({ token: "made up" }), 403);
  assert.equal(readFileSync(opened, "utf8").trim().split("\n").length, 1);
});

test("a passkey is added, signs in, signs what is approved, and is needed for it", async () => {
  page.expected.push("403");
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", { options: {
    protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true,
  } });
  await go(url("/passkeys"));
  assert.deepEqual(await accessible(page), []);
  await shot("passkeys");
  await page.fill("#new-passkey input[name=name]", "a key of the tests");
  await page.click("#new-passkey button");
  await page.waitForSelector(".keys li:has-text('a key of the tests')");
  await page.click("text=Sign out");
  await page.waitForURL(url("/sign-in"));
  assert.deepEqual(await accessible(page), []);
  await shot("sign-in-passkey");
  await page.click("#passkey");
  await page.waitForURL(url("/"));
  // The name that lasts lets it in as well, and leads into the room; no session counts there.
  await page.click("text=Sign out");
  await page.waitForURL(url("/sign-in"));
  await go(doorOf(place));
  await page.waitForURL(`${doorOf(place)}/sign-in`);
  assert.equal(await page.locator("input").count(), 0, "no credential is asked for at the door");
  assert.deepEqual(await accessible(page), []);
  await page.click("#passkey");
  await page.waitForURL(url("/"));
  await go(doorOf(place));
  await page.waitForURL(`${doorOf(place)}/sign-in`);
  assert.ok(!(await page.context().cookies()).some((one) => one.domain.endsWith(keptOf(place)) && one.domain !== new URL(place.url).hostname), "the session is the room's alone");

  const { plan_id, plan_hash } = project.propose(small("signed by a passkey"));
  await go(planUrl(plan_id));
  await approveAll();
  const approved = project.run(["log", "--json"]).stdout.trim().split("\n").map((line) => JSON.parse(line)).flat()
    .find((entry) => JSON.stringify(entry).includes("plan_approved") && JSON.stringify(entry).includes(plan_id));
  const text = JSON.stringify(approved);
  assert.ok(text.includes('"assurance":"passkey"'), text);
  assert.ok(text.includes("exacta/act/v2") && text.includes(plan_hash), text);
  // The record does not name the room: agents read it, and the session's cookie goes to that name.
  const fresh = new URL(place.url).hostname.split(".")[0];
  const signed = JSON.parse(Buffer.from(text.match(/"client_data":"([^"]+)"/)[1], "base64url").toString());
  assert.equal(signed.origin, place.url.replace(fresh, "*"));
  const everything = project.run(["log", "--json"]).stdout;
  assert.ok(!everything.includes(fresh) && !everything.includes(Buffer.from(place.url).toString("base64url").slice(4, -4)), "the record names the room");
  assert.equal(project.run(["verify"]).status, 0, "what was signed can be checked all the same");
  // It signs what takes a run back, too; the session alone does not.
  await startRun();
  const ran = page.url();
  const bare = await page.locator("form:has(button[value=undo])").evaluate((form) => Object.fromEntries(new FormData(form)));
  assert.equal((await sent(`${ran}/act`, { ...bare, act: "undo" }))[0], 403);
  await page.click("button[value=undo]");
  await page.waitForURL((now) => now.href !== ran && now.pathname.includes("/runs/"));
  assert.ok(project.run(["log", "--json"]).stdout.includes("exacta/act/v2\\nundo"), "what was signed is kept");

  // The session alone approves nothing: not with the form, not over the API.
  const other = project.propose(small("not signed", "docs/more.md", "more\n"));
  await go(planUrl(other.plan_id));
  await page.evaluate(() => document.querySelector(".plan").removeAttribute("data-passkey"));
  const fields = await page.locator("#parts").evaluate((form) => Object.fromEntries(new FormData(form)));
  const form = (more) => sent(`${planUrl(other.plan_id)}/decide`, { ...fields, act: "approve", unseen: "on", ...more });
  const [refused, why] = await form({});
  assert.equal(refused, 403);
  assert.ok(why.includes("passkey"));
  const api = await sent(`/api/v1/plans/${other.plan_id}/approve`, JSON.stringify({ plan_hash: other.plan_hash }), "application/json");
  assert.equal(api[0], 403, api[1]);
  // What nobody asked for is nothing, however it looks.
  assert.equal((await form({ passkey: JSON.stringify({ challenge: "AAAA", id: "AAAA", authenticator_data: "AAAA", client_data: "AAAA", signature: "AAAA" }) }))[0], 403);
  assert.equal(state(other.plan_id), "pending");

  // Nobody is recognised: nothing is signed.
  await cdp.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
  await go(planUrl(other.plan_id));
  await readAll(page);
  await page.click("#approve");
  await until(async () => (await page.textContent("#live")).includes("Nothing was approved"), "the refusal");
  assert.equal(state(other.plan_id), "pending");
  await cdp.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId });
  assert.deepEqual(page.faults, []);
});
