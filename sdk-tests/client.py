"""The official Python client drives every tool of the Model Context Protocol, over standard input
and output and over the server's HTTP, in both revisions. Argument 1 is the program."""

import asyncio
import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

DRAFT = {"steps": [{"step_id": "step_1", "title": "Say more in notes.md", "type": "file_modify",
                    "target": "notes.md", "content": "Hello there.\n"}]}
MODES = ("legacy", "2026-07-28")


def structured(result):
    value = getattr(result, "structured_content", None)
    return value if value is not None else result.structuredContent


async def drive(client, project):
    tools = [tool.name for tool in (await client.list_tools()).tools]
    assert len(tools) == 9 and not any("approve" in name for name in tools), tools

    async def call(name, arguments):
        result = await client.call_tool(name, arguments)
        error = getattr(result, "is_error", None) or getattr(result, "isError", None)
        assert not error, (name, result)
        return structured(result)

    notes = pathlib.Path(project, "notes.md")
    assert (await call("plan_check", {"draft": DRAFT}))["ok"]
    plan = await call("plan_propose", {"draft": DRAFT, "intent": "greet longer in notes.md"})
    assert plan["next"] == "plan_run", plan
    for tool in ("plan_show", "plan_status", "plan_wait", "plan_explain"):
        await call(tool, {"plan_id": plan["plan_id"]})
    ran = await call("plan_run", {"plan_id": plan["plan_id"]})
    assert notes.read_text() == "Hello there.\n"
    back = await call("run_undo", {"run_id": ran["run_id"]})
    await call("plan_run", {"plan_id": back["proposed"]["plan_id"]})
    assert notes.read_text() == "Hello.\n"
    assert (await call("audit_verify", {}))["ok"]
    assert (await client.read_resource("exacta://record")).contents


@contextlib.contextmanager
def place():
    with tempfile.TemporaryDirectory() as project, tempfile.TemporaryDirectory() as home:
        pathlib.Path(project, "notes.md").write_text("Hello.\n")
        policy = pathlib.Path(home, ".config/exacta")
        policy.mkdir(parents=True)
        (policy / "policy.toml").write_text('version = 1\nprofile = "balanced"\n')
        yield project, {"PATH": os.environ["PATH"], "HOME": home}


async def over_stdio(exacta, mode):
    with place() as (project, env):
        server = StdioServerParameters(command=exacta, args=["mcp"], env=env, cwd=project)
        async with Client(server, mode=mode) as client:
            await drive(client, project)


async def over_http(exacta, mode):
    with place() as (project, env):
        server = subprocess.Popen([exacta, "serve", "--json"], cwd=project, env=env, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            said = json.loads(server.stdout.readline())
            token = pathlib.Path(said["agent_token_file"]).read_text().strip()
            headers = {"Authorization": f"Bearer {token}"}
            async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
                transport = streamable_http_client(said["mcp_url"], http_client=http)
                async with Client(transport, mode=mode) as client:
                    await drive(client, project)
        finally:
            server.terminate()
            server.wait()


def main():
    exacta = os.path.abspath(sys.argv[1])
    for mode in MODES:
        asyncio.run(over_stdio(exacta, mode))
        print(f"python client, stdio, {mode}: every tool")
        asyncio.run(over_http(exacta, mode))
        print(f"python client, HTTP, {mode}: every tool")


main()
