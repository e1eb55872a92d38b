// A project, a server and a browser for the tests of the review room. Everything happens in
// a temporary folder and on loopback; nothing of the room is replaced.
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const here = dirname(fileURLToPath(import.meta.url));
export const exacta = process.env.EXACTA_BIN ?? join(here, "../../../../target/debug/exacta");
const SECRET = "a passphrase that only the tests know";
const BROWSER = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => path && existsSync(path));
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export const pause = (ms) => new Promise((done) => setTimeout(done, ms));

export async function until(what, words, ms = 10_000) {
  const end = Date.now() + ms;
  for (;;) {
    const found = await what();
    if (found) return found;
    if (Date.now() > end) throw new Error(`waited in vain: ${words}`);
    await pause(50);
  }
}

// A project with files, a policy of the operator and a credential.
export class Project {
  constructor(files, policy = "", decide = "credential") {
    this.folder = mkdtempSync(join(tmpdir(), "exacta-room-"));
    this.root = join(this.folder, "shop");
    this.env = {
      PATH: process.env.PATH, HOME: this.folder, LANG: "C.UTF-8", NO_COLOR: "1",
      XDG_CONFIG_HOME: join(this.folder, "config"), XDG_STATE_HOME: join(this.folder, "state"),
    };
    for (const [name, text] of Object.entries(files)) this.write(name, text);
    mkdirSync(join(this.env.XDG_CONFIG_HOME, "exacta"), { recursive: true });
    writeFileSync(join(this.env.XDG_CONFIG_HOME, "exacta/policy.toml"),
      `version = 1\nprofile = "balanced"\nautonomy_ceiling = "balanced"\ndecide = "${decide}"\n${policy}`);
    chmodSync(join(this.env.XDG_CONFIG_HOME, "exacta/policy.toml"), 0o600);
    writeFileSync(join(this.folder, "secret"), SECRET);
    chmodSync(join(this.folder, "secret"), 0o600);
  }
  write(name, text) {
    const path = join(this.root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  read(name) { return readFileSync(join(this.root, name), "utf8"); }
  has(name) { return existsSync(join(this.root, name)); }
  run(args, input) {
    const done = spawnSync(exacta, args, { cwd: this.root, env: this.env, input, encoding: "utf8", timeout: 120_000, maxBuffer: 1 << 28 });
    if (done.error) throw done.error;
    return done;
  }
  json(args, input) {
    const done = this.run(args, input);
    try { return JSON.parse(done.stdout); } catch { throw new Error(`exacta ${args.join(" ")}: ${done.status} ${done.stdout} ${done.stderr}`); }
  }
  propose(draft, more = []) {
    const text = typeof draft === "string" ? draft : JSON.stringify(draft);
    const report = this.json(["propose", "-", "--no-run", "--json", ...more], text);
    if (!report.plan_id) throw new Error(JSON.stringify(report.issues));
    return report;
  }
  // Sets the credential at a terminal of its own, as a person does.
  async credential() {
    const child = spawn("script", ["-qfec", `'${exacta}' policy credential '${join(this.folder, "secret")}'`, "/dev/null"], { cwd: this.root, env: this.env });
    let said = "";
    child.stdout.on("data", (data) => {
      said += data;
      if (said.includes("Type yes")) { child.stdin.write("yes\n"); said = said.replace("Type yes", ""); }
    });
    const code = await new Promise((done) => child.on("close", done));
    if (code !== 0) throw new Error(`the credential was not set: ${said}`);
  }
  // What a person sees at a terminal of their own, who types yes where that is asked.
  async atTerminal(args) {
    const child = spawn("script", ["-qfec", [exacta, ...args].map((word) => `'${word}'`).join(" "), "/dev/null"], { cwd: this.root, env: this.env });
    let said = "", answered = false;
    child.stdout.on("data", (data) => {
      said += data;
      if (!answered && /type yes/i.test(said)) { answered = true; child.stdin.write("yes\n"); }
    });
    await new Promise((done) => child.on("close", done));
    return said;
  }
  async serve(more = []) {
    this.server = spawn(exacta, ["serve", "--json", ...more], { cwd: this.root, env: this.env });
    let out = "", err = "";
    this.server.stderr.on("data", (data) => { err += data; });
    this.server.stdout.on("data", (data) => { out += data; });
    const line = await until(() => out.includes("\n") && out, "the server listens: " + err, 60_000).catch(() => { throw new Error(`no server: ${err}`); });
    this.place = JSON.parse(line.split("\n")[0]);
    return this.place;
  }
  async stop() {
    await this.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
  // Ends the server; what it serves stays.
  async close() {
    if (this.server && this.server.exitCode === null) {
      const ended = new Promise((done) => this.server.on("close", done));
      this.server.kill("SIGINT");
      await Promise.race([ended, pause(10_000)]);
      if (this.server.exitCode === null) this.server.kill("SIGKILL");
    }
  }
}

export async function browser(more = []) {
  if (!BROWSER) throw new Error("chromium is missing; install the package chromium");
  return chromium.launch({
    executablePath: BROWSER,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--host-resolver-rules=MAP *.localhost 127.0.0.1", ...more],
  });
}

// The name that passkeys keep: the room's own, without the part that is another one at each start.
export const keptOf = (place) => new URL(place.url).hostname.split(".").slice(1).join(".");
export const doorOf = (place) => `http://${keptOf(place)}:${new URL(place.url).port}`;

// A window that notes everything that must not happen: errors, and requests off the machine.
export async function window(browser, place, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  page.faults = [];
  page.expected = [];
  page.on("console", (message) => { if (message.type() === "error" && !page.expected.some((words) => message.text().includes(words))) page.faults.push(`console: ${message.text()}`); });
  page.on("pageerror", (error) => page.faults.push(`script: ${error.message}`));
  page.on("dialog", (dialog) => { page.faults.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  // The plain address, by which a browser that signed in finds the room, is this machine, too.
  const ways = place.api_url ? ["open", "remember", "assets"].map((way) => `${place.api_url}/${way}`).concat(doorOf(place)) : [];
  const homely = (url) => [options.home ?? place.url, "data:", ...ways].some((home) => url.startsWith(home));
  context.on("request", (request) => { if (!homely(request.url())) page.faults.push(`request: ${request.url()}`); });
  return page;
}

export async function signIn(page, place) {
  await page.goto(`${place.url}/sign-in`);
  await page.fill("input[name=credential]", SECRET);
  await page.click("button.primary");
  await page.waitForURL(`${place.url}/`);
}

// The accessibility check, on what the page shows now. It is evaluated by the debugger, so
// that the page's own policy stays as strict as it is.
export async function accessible(page) {
  await page.evaluate(axe);
  const found = await page.evaluate(async () => {
    const report = await window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] });
    // What the bar with the buttons covers just now is a matter of scrolling, not of size.
    const covered = (one, node) => one.id === "target-size" && node.any.some((why) => /obscured/.test(why.message));
    for (const one of report.violations) one.nodes = one.nodes.filter((node) => !covered(one, node));
    return report.violations.filter((one) => one.nodes.length).map((one) => `${one.id}: ${one.help} ${one.nodes.slice(0, 4).map((node) => node.html.slice(0, 160) + " " + (node.any[0]?.message ?? "")).join(" | ")}`);
  });
  return found;
}

// Everything of the page comes on screen once, as somebody who reads makes it.
export async function readAll(page) {
  await page.evaluate(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 20))));
    for (let tries = 0; tries < 6; tries += 1) {
      for (let y = 0; y <= document.documentElement.scrollHeight; y += 250) {
        window.scrollTo({ top: y, behavior: "instant" });
        await frame();
      }
      if (document.querySelector(".progress")?.textContent === "everything was on screen") return;
    }
  });
}
