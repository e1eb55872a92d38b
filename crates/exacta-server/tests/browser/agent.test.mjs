// From an agent to a person and back: a client of the Model Context Protocol proposes over HTTP,
// a person opens the page that it was given and approves it in the browser, the client runs the
// plan, and takes it back. An afternoon's questions are answered in the room as well.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Project, browser as launch, exacta, keptOf, readAll, signIn, until, window as open } from "./room.mjs";

const NOTES = "# Notes\n\nHow the till works.\n";
const DEPLOY = "#!/bin/sh\nexec ./till --port 80\n";
const DEPLOY_NEW = "#!/bin/sh\nset -eu\nexec ./till --port 8080\n";

let project, place, chrome, page, token, number = 0;

before(async () => {
  project = new Project({ "docs/notes.md": NOTES, "deploy.sh": DEPLOY });
  await project.credential();
  place = await project.serve();
  token = readFileSync(place.agent_token_file, "utf8").trim();
  chrome = await launch();
  page = await open(chrome, place);
  await signIn(page, place);
});
after(async () => {
  await chrome?.close();
  await project?.stop();
});

// One request of the newer revision, by a client that can show its user a page.
async function ask(method, params) {
  const name = params.name ?? params.uri;
  const answer = await fetch(place.mcp_url, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`, "content-type": "application/json",
      accept: "application/json, text/event-stream", "mcp-protocol-version": "2026-07-28",
      "mcp-method": method, ...(name ? { "mcp-name": name } : {}),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: ++number, method, params: { ...params, _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "end-to-end", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": { elicitation: { url: {} } } } } }),
  });
  const text = await answer.text();
  const lines = text.split("\n").filter((line) => line.startsWith("data:")).map((line) => line.slice(5));
  const frames = (lines.length ? lines : [text]).filter((line) => line.trim()).map((line) => JSON.parse(line));
  const said = frames.find((frame) => frame.id === number);
  assert.ok(said?.result, text);
  assert.ok(!said.result.isError, text);
  return said.result;
}
const call = (name, args, more = {}) => ask("tools/call", { name, arguments: args, ...more });

/** Opens a page; the one before it is live, and may just be loading itself again. */
async function visit(url) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await page.goto(url);
    } catch (error) {
      if (tries === 20 || !String(error).includes("interrupted by another navigation")) throw error;
      await page.waitForTimeout(500);
    }
  }
}

async function approve(url) {
  await visit(url);
  // By the plain address, on to the room, with the session there.
  await page.waitForURL(/\/plans\/[^/]+$/);
  await page.waitForLoadState("load");
  // A busy machine may take more than one look until everything was on screen.
  await until(async () => {
    await readAll(page);
    return (await page.getAttribute("#approve", "aria-disabled")) === "false";
  }, "approve opens once everything was on screen", 45_000);
  await page.click("#approve");
  await page.waitForURL(/done=approved/);
}

test("a client proposes, a person approves in the browser, the client runs and undoes", async () => {
  const args = { intent: "let the till listen on 8080 in deploy.sh", draft: { goal: "another port",
    steps: [{ step_id: "step_1", title: "Change the port in deploy.sh", type: "file_modify",
      target: "deploy.sh", content: DEPLOY_NEW }] } };
  const asked = await call("plan_propose", args);
  assert.equal(asked.resultType, "input_required");
  const { url } = asked.inputRequests.review.params;
  assert.ok(url.startsWith(`${place.api_url}/open/`), "it is the way to the room");
  const name = new URL(place.url).hostname;
  assert.ok(!JSON.stringify(asked).includes(name), "no agent learns the room's name");
  assert.equal(project.read("deploy.sh"), DEPLOY, "nothing has happened yet");
  await approve(url);
  assert.equal(project.read("deploy.sh"), DEPLOY, "approving is not running");
  // The client asks again and learns what the person said; its own answer says only that it
  // opened the page.
  const answered = await call("plan_propose", args, { requestState: asked.requestState,
    inputResponses: { review: { action: "accept" } } });
  const plan = answered.structuredContent;
  assert.deepEqual([plan.state, plan.next], ["user_approved", "plan_run"]);
  const ran = (await call("plan_run", { plan_id: plan.plan_id, plan_hash: plan.plan_hash })).structuredContent;
  assert.equal(ran.state, "completed");
  assert.equal(project.read("deploy.sh"), DEPLOY_NEW);
  // Taking it back is a plan as well, and it waits like any other.
  const back = (await call("run_undo", { run_id: ran.run_id })).structuredContent.proposed;
  assert.equal(back.next, "plan_wait");
  await approve(back.review_url);
  const waited = (await call("plan_wait", { plan_id: back.plan_id, timeout_s: 20 })).structuredContent;
  assert.equal(waited.next, "plan_run");
  const undone = (await call("plan_run", { plan_id: back.plan_id })).structuredContent;
  assert.equal(undone.state, "completed");
  assert.equal(project.read("deploy.sh"), DEPLOY);
  assert.ok((await call("audit_verify", {})).structuredContent.ok);
  assert.deepEqual(page.faults, []);
});

test("edits that wait in one session are one question in the room", async () => {
  const hook = (number, target, content) => spawnSync(exacta, ["hook", "claude-code"], {
    cwd: project.root, env: project.env, encoding: "utf8", input: JSON.stringify({
      hook_event_name: "PreToolUse", session_id: "one", tool_use_id: `t${number}`, cwd: project.root,
      tool_name: "Write", tool_input: { file_path: join(project.root, target), content } }) });
  let last = "";
  for (let number = 0; number < 6; number += 1) {
    last = hook(number, `.github/workflows/w${number}.yml`, "on: push\njobs: {}\n").stderr;
    assert.match(last, /waits for a person/);
  }
  const waiting = project.json(["list", "--json"]).filter((plan) => plan.state === "pending");
  assert.equal(waiting.length, 1, "six edits wait in one plan");
  assert.ok(last.includes(waiting[0].plan_id));
  await approve(`${place.url}/projects/${place.projects[0].project_id}/plans/${waiting[0].plan_id}`);
  assert.equal(project.run(["run", waiting[0].plan_id]).status, 0);
  for (let number = 0; number < 6; number += 1) assert.ok(project.has(`.github/workflows/w${number}.yml`));
});

test("an agent's own server on another port of this machine is sent nothing", async () => {
  const asked = await call("plan_propose", { draft: { goal: "another port once more",
    steps: [{ step_id: "step_1", title: "Change the port", type: "file_modify", target: "deploy.sh", content: `${DEPLOY}# more\n`, requires_approval: true }] } });
  const { url } = asked.inputRequests.review.params;
  const seen = [];
  const server = createServer((request, response) => {
    seen.push(request.headers.cookie ?? "");
    response.setHeader("content-type", "text/html");
    response.end("<h1>my app</h1>");
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address();
  const own = await page.context().newPage();
  // Every host that the agent was told, or that the record tells who signed with a passkey,
  // under its own port.
  const told = [new URL(url).hostname, "localhost", "127.0.0.1", keptOf(place), `evil.${keptOf(place)}`];
  for (const host of new Set(told)) await own.goto(`http://${host}:${port}/`);
  assert.ok(seen.length >= 2 && seen.every((cookie) => !cookie.includes("exacta_session")), seen.join());
  // Nor does it find there what the plain address remembers.
  assert.equal(await own.evaluate(() => localStorage.length), 0);
  await own.close();
  server.close();
  // Whoever is not signed in is told what to do, and nothing else.
  const stranger = await open(chrome, place);
  await stranger.goto(url);
  await stranger.waitForSelector("text=does not know the room");
  assert.ok(!(await stranger.content()).includes("localhost"));
  // A made-up name is not followed.
  await stranger.goto(`${place.api_url}/remember#abcdefghijklmnopqrstuvwx.localhost`);
  await stranger.waitForTimeout(300);
  assert.equal(new URL(stranger.url()).origin, place.api_url);
  assert.equal(await stranger.evaluate(() => localStorage.length), 0);
  assert.deepEqual(stranger.faults, []);
  await stranger.close();
});
