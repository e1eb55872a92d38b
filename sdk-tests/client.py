"""The official Python client drives every tool of `exacta mcp`: argument 1 is the program."""

import asyncio
import os
import pathlib
import sys
import tempfile

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

DRAFT = {"steps": [{"step_id": "step_1", "title": "Say more in notes.md", "type": "file_modify",
                    "target": "notes.md", "content": "Hello there.\n"}]}


def structured(result):
    value = getattr(result, "structured_content", None)
    return value if value is not None else result.structuredContent


async def drive(exacta, project, home):
    env = {"PATH": os.environ["PATH"], "HOME": home}
    server = StdioServerParameters(command=exacta, args=["mcp"], env=env, cwd=project)
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        tools = [tool.name for tool in (await session.list_tools()).tools]
        assert len(tools) == 9 and not any("approve" in name for name in tools), tools

        async def call(name, arguments):
            result = await session.call_tool(name, arguments)
            error = getattr(result, "is_error", None) or getattr(result, "isError", None)
            assert not error, (name, result)
            return structured(result)

        assert (await call("plan_check", {"draft": DRAFT}))["ok"]
        plan = await call("plan_propose", {"draft": DRAFT, "intent": "greet longer in notes.md"})
        assert plan["next"] == "plan_run", plan
        for tool in ("plan_show", "plan_status", "plan_wait", "plan_explain"):
            await call(tool, {"plan_id": plan["plan_id"]})
        ran = await call("plan_run", {"plan_id": plan["plan_id"]})
        assert pathlib.Path(project, "notes.md").read_text() == "Hello there.\n"
        back = await call("run_undo", {"run_id": ran["run_id"]})
        await call("plan_run", {"plan_id": back["proposed"]["plan_id"]})
        assert pathlib.Path(project, "notes.md").read_text() == "Hello.\n"
        assert (await call("audit_verify", {}))["ok"]
        read = await session.read_resource("exacta://record")
        assert read.contents


def main():
    with tempfile.TemporaryDirectory() as project, tempfile.TemporaryDirectory() as home:
        pathlib.Path(project, "notes.md").write_text("Hello.\n")
        policy = pathlib.Path(home, ".config/exacta")
        policy.mkdir(parents=True)
        (policy / "policy.toml").write_text('version = 1\nprofile = "balanced"\n')
        asyncio.run(drive(os.path.abspath(sys.argv[1]), project, home))
    print("python client: every tool")


main()
