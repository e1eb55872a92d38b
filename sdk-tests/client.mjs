// The official TypeScript client drives every tool of the Model Context Protocol, over standard
// input and output and over the server's HTTP, with the older handshake and, where the package
// has it, with the newer revision. Argument 1 is the program.
import assert from "node:assert"
import { spawn } from "node:child_process"
import { mkdtempSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { createInterface } from "node:readline"

const exacta = resolve(process.argv[2])
const v1 = {
  Client: (await import("@modelcontextprotocol/sdk/client/index.js")).Client,
  Stdio: (await import("@modelcontextprotocol/sdk/client/stdio.js")).StdioClientTransport,
  Http: (await import("@modelcontextprotocol/sdk/client/streamableHttp.js")).StreamableHTTPClientTransport,
}
// The package for the newer revision has another name.
const v2 = await import("@modelcontextprotocol/client").then(
  async (all) => ({
    Client: all.Client,
    Http: all.StreamableHTTPClientTransport,
    Stdio: all.StdioClientTransport ??
      (await import("@modelcontextprotocol/client/stdio").catch(() => ({}))).StdioClientTransport,
  }), () => undefined)

const draft = { steps: [{ step_id: "step_1", title: "Say more in notes.md", type: "file_modify",
  target: "notes.md", content: "Hello there.\n" }] }

function place() {
  const project = mkdtempSync(join(tmpdir(), "exacta-sdk-"))
  const home = mkdtempSync(join(tmpdir(), "exacta-sdk-home-"))
  writeFileSync(join(project, "notes.md"), "Hello.\n")
  mkdirSync(join(home, ".config/exacta"), { recursive: true })
  writeFileSync(join(home, ".config/exacta/policy.toml"), 'version = 1\nprofile = "balanced"\n')
  return { project, notes: join(project, "notes.md"), env: { PATH: process.env.PATH, HOME: home } }
}

async function drive(client, notes) {
  const { tools } = await client.listTools()
  assert.equal(tools.length, 9)
  assert.ok(tools.every((tool) => tool.outputSchema && tool.annotations && !tool.name.includes("approve")))
  const call = async (name, args) => {
    const result = await client.callTool({ name, arguments: args })
    assert.ok(!result.isError, JSON.stringify(result))
    return result.structuredContent
  }
  assert.ok((await call("plan_check", { draft })).ok)
  const plan = await call("plan_propose", { draft })
  for (const tool of ["plan_show", "plan_status", "plan_wait", "plan_explain"]) {
    await call(tool, { plan_id: plan.plan_id })
  }
  const ran = await call("plan_run", { plan_id: plan.plan_id })
  assert.equal(readFileSync(notes, "utf8"), "Hello there.\n")
  const back = await call("run_undo", { run_id: ran.run_id })
  await call("plan_run", { plan_id: back.proposed.plan_id })
  assert.equal(readFileSync(notes, "utf8"), "Hello.\n")
  assert.ok((await call("audit_verify", {})).ok)
  const missing = await client.callTool({ name: "plan_show", arguments: { plan_id: "ffffff" } })
  assert.ok(missing.isError)
  const { contents } = await client.readResource({ uri: "exacta://record" })
  assert.ok(contents[0].text.includes(plan.plan_id))
  const said = client.getNegotiatedProtocolVersion?.() ?? "older handshake"
  await client.close()
  return said
}

async function overStdio(kit, options) {
  const { project, notes, env } = place()
  const client = new kit.Client({ name: "test", version: "1" }, options)
  await client.connect(new kit.Stdio({ command: exacta, args: ["mcp"], cwd: project, env }))
  return drive(client, notes)
}

async function overHttp(kit, options) {
  const { project, notes, env } = place()
  const server = spawn(exacta, ["serve", "--json"], { cwd: project, env, stdio: ["ignore", "pipe", "ignore"] })
  try {
    const lines = createInterface({ input: server.stdout })
    const said = JSON.parse((await lines[Symbol.asyncIterator]().next()).value)
    const token = readFileSync(said.agent_token_file, "utf8").trim()
    const headers = { Authorization: `Bearer ${token}` }
    const to = (headers) => new kit.Http(new URL(said.mcp_url), { requestInit: { headers } })
    const stranger = new kit.Client({ name: "test", version: "1" }, options)
    await assert.rejects(stranger.connect(to({})), "without a token nobody comes in")
    const client = new kit.Client({ name: "test", version: "1" }, options)
    await client.connect(to(headers))
    return await drive(client, notes)
  } finally {
    server.kill()
  }
}

for (const [name, kit, options] of [
  ["older handshake", v1, undefined],
  ["newer revision", v2, { versionNegotiation: { mode: { pin: "2026-07-28" } } }],
]) {
  if (!kit?.Client) {
    console.log(`typescript client, ${name}: this package is not installed`)
    continue
  }
  if (kit.Stdio) console.log(`typescript client, stdio, ${name}: every tool (${await overStdio(kit, options)})`)
  console.log(`typescript client, HTTP, ${name}: every tool (${await overHttp(kit, options)})`)
}
