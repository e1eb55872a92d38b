// The official TypeScript client drives `exacta mcp`: argument 1 is the program.
import assert from "node:assert"
import { mkdtempSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"

const project = mkdtempSync(join(tmpdir(), "exacta-sdk-"))
const home = mkdtempSync(join(tmpdir(), "exacta-sdk-home-"))
const notes = join(project, "notes.md")
writeFileSync(notes, "Hello.\n")
mkdirSync(join(home, ".config/exacta"), { recursive: true })
writeFileSync(join(home, ".config/exacta/policy.toml"), 'version = 1\nprofile = "balanced"\n')

const client = new Client({ name: "test", version: "1" })
await client.connect(new StdioClientTransport({
  command: resolve(process.argv[2]), args: ["mcp"], cwd: project,
  env: { PATH: process.env.PATH, HOME: home },
}))
const { tools } = await client.listTools()
assert.equal(tools.length, 9)
assert.ok(tools.every((tool) => tool.outputSchema && tool.annotations && !tool.name.includes("approve")))
const call = async (name, args) => {
  const result = await client.callTool({ name, arguments: args })
  assert.ok(!result.isError, JSON.stringify(result))
  return result.structuredContent
}
const draft = { steps: [{ step_id: "step_1", title: "Say more in notes.md", type: "file_modify",
  target: "notes.md", content: "Hello there.\n" }] }
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
await client.close()
console.log("typescript client: every tool")
