// A phone over the user's own network: another address of the machine, TLS, a link by QR code,
// a passkey, and a plan that is approved with it. The phone is emulated; the address, the
// certificate and the passkey's checks are real.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { request as plain } from "node:http";
import { request as secure } from "node:https";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Project, accessible, browser as launch, readAll, until, window as open } from "./room.mjs";

const HOST = "room.exacta.test";
const ADDRESS = "127.0.0.2";
const shots = process.env.EXACTA_SCREENSHOTS;
let project, place, chrome, page, serve, key;

const shot = async (name) => {
  if (!shots) return;
  mkdirSync(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `${name}.png`) });
};
const ask = (send, options) => new Promise((done) => {
  const sent = send({ host: ADDRESS, port: new URL(place.outside_url).port, rejectUnauthorized: false, servername: HOST, ...options }, (answer) => {
    let body = "";
    answer.on("data", (data) => { body += data; });
    answer.on("end", () => done([answer.statusCode, body]));
  });
  sent.on("error", (error) => done([0, String(error)]));
  sent.end(options.body);
});

// What a reader of such codes makes of a picture.
const decoded = (picture) => {
  const read = spawnSync("zbarimg", ["-q", "--raw", picture], { encoding: "utf8" });
  assert.ok(!read.error, "zbarimg is missing; install the package zbar-tools");
  return read.stdout.trim();
};
// What a terminal shows, as a picture: each character is two pieces, one above the other.
const drawn = (text, picture) => {
  const HALVES = { " ": [0, 0], "▀": [255, 0], "▄": [0, 255], "█": [255, 255] };
  const lines = text.split(/\r?\n/).filter((line) => line.length > 20 && [...line].every((c) => c in HALVES));
  const rows = lines.flatMap((line) => [0, 1].map((half) => [...line].map((c) => HALVES[c][half])));
  const SCALE = 6, width = rows[0].length * SCALE;
  const bytes = rows.flatMap((row) => { const wide = row.flatMap((value) => Array(SCALE).fill(value)); return Array(SCALE).fill(wide).flat(); });
  writeFileSync(picture, Buffer.concat([Buffer.from(`P5 ${width} ${rows.length * SCALE} 255\n`), Buffer.from(bytes)]));
};

before(async () => {
  project = new Project({ "README.md": "# Shop\n" }, '[tools]\neditor = ["/bin/true", "{file}"]\n', "terminal");
  const cert = join(project.folder, "cert.pem");
  key = join(project.folder, "key.pem");
  execFileSync("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
    "-subj", `/CN=${HOST}`, "-addext", `subjectAltName=DNS:${HOST}`, "-keyout", key, "-out", cert], { stdio: "ignore" });
  const bits = execFileSync("openssl", ["pkey", "-pubout", "-outform", "DER", "-in", key]);
  const pin = createHash("sha256").update(bits).digest("base64");
  serve = ["--address", ADDRESS, "--host", HOST, "--cert", cert, "--key", key];
  chmodSync(key, 0o644);
  const open_key = project.run(["serve", "--json", ...serve]);
  assert.equal(open_key.status, 2, "a key that others can read serves nothing");
  chmodSync(key, 0o600);
  place = await project.serve(serve);
  chrome = await launch([`--host-resolver-rules=MAP *.localhost 127.0.0.1, MAP ${HOST} ${ADDRESS}`, `--ignore-certificate-errors-spki-list=${pin}`]);
});
after(async () => {
  await chrome?.close();
  await project?.stop();
});

test("another address takes TLS, its own name, and nobody who has not signed in", async () => {
  assert.ok(place.outside_url.startsWith(`https://${HOST}:`));
  const refused = project.run(["serve", "--json", "--address", ADDRESS]);
  assert.equal(refused.status, 2, "no other address without a certificate");
  const port = new URL(place.outside_url).port;
  assert.equal((await ask(plain, { path: "/" }))[0], 0, "nothing is answered without TLS");
  const at = (headers, more = {}) => ask(secure, { path: "/", headers, ...more });
  for (const host of ["evil.example", `${ADDRESS}:${port}`, `localhost:${port}`, HOST, new URL(place.url).host]) assert.equal((await at({ host }))[0], 421, host);
  const own = `${HOST}:${port}`;
  assert.equal((await at({ host: own, "x-forwarded-for": "127.0.0.1" }))[0], 403);
  const [status, body] = await at({ host: own });
  assert.equal(status, 303);
  assert.ok(!body.includes("shop"));
});

test("a link by QR code, a passkey, a plan approved with it from a phone", async () => {
  const said = await project.atTerminal(["review", "--web", "--phone"]);
  const link = /https:\/\/\S+\/sign-in\/\S+/.exec(said)?.[0];
  assert.ok(link?.startsWith(place.outside_url), said);
  drawn(said, join(project.folder, "terminal.pgm"));
  assert.equal(decoded(join(project.folder, "terminal.pgm")), link, "what a phone reads at the terminal");
  page = await open(chrome, place, { home: place.outside_url, viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 });
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  await cdp.send("WebAuthn.addVirtualAuthenticator", { options: {
    protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true,
  } });
  // Opened twice, as by a preview and a person; used once.
  await page.goto(link);
  await page.goto(link);
  assert.deepEqual(await accessible(page), []);
  await shot("phone-sign-in");
  await page.tap("button.primary");
  await page.waitForURL(`${place.outside_url}/`);
  const cookie = (await page.context().cookies()).find((one) => one.name === "exacta_session");
  assert.deepEqual([cookie.secure, cookie.httpOnly, cookie.sameSite, cookie.domain], [true, true, "Strict", HOST]);
  await page.goto(`${place.outside_url}/passkeys`);
  await page.locator(".qr svg").scrollIntoViewIfNeeded();
  const picture = join(project.folder, "page.png");
  await page.locator(".qr svg").screenshot({ path: picture });
  assert.equal(decoded(picture), place.outside_url, "what a phone reads on the page");
  assert.deepEqual(await accessible(page), []);
  await page.fill("#new-passkey input[name=name]", "my phone");
  await page.tap("#new-passkey button");
  await page.waitForSelector(".keys li:has-text('my phone')");
  await shot("phone-passkeys");
  await page.tap("text=Sign out");
  await page.waitForURL(/sign-in$/);
  page.expected.push("401");
  await page.goto(link);
  await page.tap("button.primary");
  await page.waitForSelector("text=Nothing was done");
  page.expected.pop();
  await page.goto(`${place.outside_url}/sign-in`);
  await page.tap("#passkey");
  await page.waitForURL(`${place.outside_url}/`);

  const { plan_id, plan_hash } = project.propose({ goal: "approved from a phone", steps: [{ step_id: "step_1", title: "readme", type: "file_modify", target: "README.md", content: "# The shop\n", requires_approval: true }] });
  await page.waitForSelector(`a[href$='/plans/${plan_id}']`);
  await page.tap(`a[href$='/plans/${plan_id}']`);
  await page.waitForSelector("#approve");
  assert.equal(await page.locator("form.open").count(), 0, "no editor opens for somebody elsewhere");
  await readAll(page);
  await page.waitForSelector("#approve[aria-disabled=false]");
  await shot("phone-plan");
  await page.tap("#approve");
  await page.waitForURL(/done=approved/);
  const log = project.run(["log", "--json"]).stdout.split("\n");
  const approved = log.find((line) => line.includes("plan_approved") && line.includes(plan_id));
  assert.ok(approved.includes('"assurance":"passkey"') && approved.includes(plan_hash), approved);
  await page.tap("#run");
  await until(() => project.read("README.md") === "# The shop\n", "the run");
  assert.deepEqual(page.faults, []);
});

test("a request that a tunnel says it forwarded is refused at the local address too", async () => {
  const session = (await page.context().cookies()).find((one) => one.name === "exacta_session").value;
  const headers = { host: new URL(place.url).host, cookie: `exacta_session=${session}`, "x-forwarded-proto": "https" };
  const local = await new Promise((done) => plain({ host: "127.0.0.1", port: new URL(place.url).port, path: "/", headers }, (answer) => { answer.resume(); done(answer.statusCode); }).end());
  assert.equal(local, 403);
  assert.equal(project.run(["verify"]).status, 0);
});
