// The page when the server is not there: it says so, sends nothing, and goes on where it can.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Project, accessible, browser as launch, doorOf, signIn, until, window as open } from "./room.mjs";

const shots = process.env.EXACTA_SCREENSHOTS;
let project, place, chrome, page, plan;
const planUrl = () => `${place.url}/projects/${place.projects[0].project_id}/plans/${plan.plan_id}`;
const state = () => project.json(["status", plan.plan_id, "--json"]).standing;
const shot = async (name) => {
  if (!shots) return;
  mkdirSync(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `${name}.png`) });
};
const says = (words) => page.waitForSelector(`#lost:has-text("${words}")`);
// Every way to decide is shut, by mouse and by key, and nothing leaves the page.
const shut = async () => {
  assert.equal(await page.locator("#lost").getAttribute("role"), "alert");
  assert.equal(await page.getAttribute("#approve", "aria-disabled"), "true");
  const sent = [];
  const note = (request) => { if (request.method() === "POST" && request.url().endsWith("/decide")) sent.push(request.url()); };
  page.on("request", note);
  await page.locator("input[name=unseen]").check();
  assert.equal(await page.getAttribute("#approve", "aria-disabled"), "true", "the box opens nothing now");
  await page.locator("#approve").focus();
  await page.keyboard.press("Enter");
  await until(async () => (await page.textContent("#live")).includes("Nothing was sent"), "it says why");
  await page.locator("input[name=unseen]").uncheck();
  page.off("request", note);
  assert.deepEqual(sent, []);
};

before(async () => {
  // More than a screen, so that not all of it was seen.
  const lines = (word) => Array.from({ length: 200 }, (_, at) => `${word} ${at}\n`).join("");
  project = new Project({ "README.md": lines("line") });
  await project.credential();
  place = await project.serve();
  chrome = await launch();
  page = await open(chrome, place);
  // What the browser itself says of a server that is gone, or of another name.
  page.expected.push("Failed to load resource", "net::ERR", "EventSource's response");
  await signIn(page, place);
  plan = project.propose({ goal: "another title", steps: [{ step_id: "step_1", title: "readme", type: "file_modify", target: "README.md", content: lines("row"), requires_approval: true }] });
  await page.goto(planUrl());
  await page.waitForSelector(".plan[data-ready]");
  await page.click("#changes-form summary");
  await page.fill("textarea[name=request]", "say more");
});
after(async () => {
  await chrome?.close();
  await project?.stop();
});

test("a lost connection is said and nothing is sent; it goes on by itself when the server is back", async () => {
  assert.equal(await page.locator("#lost").count(), 0);
  await page.context().setOffline(true);
  await says("does not answer");
  await shut();
  assert.deepEqual(await accessible(page), []);
  await shot("lost");
  await page.context().setOffline(false);
  await page.waitForSelector("#lost", { state: "detached" });
  assert.ok((await page.textContent("#live")).includes("is back"));
  assert.equal(await page.inputValue("textarea[name=request]"), "say more");
  await page.locator("input[name=unseen]").check();
  assert.equal(await page.getAttribute("#approve", "aria-disabled"), "false");
  await page.locator("input[name=unseen]").uncheck();
});

test("a session that ended elsewhere is said, with the way to sign in", async () => {
  const other = await page.context().newPage();
  await other.goto(`${place.url}/`);
  await other.click("text=Sign out");
  await other.waitForURL(/sign-in/);
  await says("You are signed out");
  await shut();
  assert.equal(await page.locator("#lost a").getAttribute("href"), "/sign-in");
  await signIn(other, place);
  await page.waitForSelector("#lost", { state: "detached", timeout: 20_000 });
  await other.close();
});

test("a server that stopped, and one that was started again under another name", async () => {
  const { port } = new URL(place.url);
  await project.close();
  await says("does not answer");
  await shut();
  await project.serve(["--port", port]);
  assert.equal(new URL(project.place.url).port, port);
  assert.notEqual(project.place.url, place.url);
  await says("was started again");
  await shut();
  assert.deepEqual(await accessible(page), []);
  assert.equal(await page.inputValue("textarea[name=request]"), "say more");
  assert.equal(await page.locator("#lost a").getAttribute("href"), `${doorOf(place)}/sign-in`);
  assert.notEqual(state(), "user_approved");
  assert.deepEqual(page.faults, []);
});
