"""`akg mcp` as a client starts it: the protocol on standard output, everything else on standard error."""

import subprocess
from pathlib import Path

import httpx
import orjson
from mcp import Client, StdioServerParameters

from api.about import NOTICE
from tests.support.serving import AKG, environment

TIMEOUT_SECONDS = 60  # imports are slow on a busy machine
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
SEARCH = {
    "jsonrpc": "2.0",
    "id": 2,
    "method": "tools/call",
    "params": {"name": "search_accommodations", "arguments": {"query": "what a user typed"}},
}


async def test_a_client_can_start_the_server_and_call_it(
    node_url: str, service: httpx.AsyncClient, tmp_path: Path
) -> None:
    settings = environment({"AKG_OPENSEARCH_URL": node_url, "AKG_ALIAS": "akg-world"})
    program, *arguments = *AKG, "mcp"
    started = StdioServerParameters(command=program, args=arguments, env=settings, cwd=tmp_path)
    rest = (await service.get("/search?query=adhd")).json()
    async with Client(started) as client:
        found = await client.call_tool("search_accommodations", {"query": "adhd"})
        assert found.structured_content == rest
        fetched = await client.call_tool("fetch", {"id": "solution:telework"})
        assert fetched.structured_content["url"] == "akg://entity/solution/telework"
        assert (await client.get_prompt("explain_connection", {"first": "a", "second": "b"})).messages


def test_standard_output_has_only_protocol_messages_even_without_opensearch(tmp_path: Path) -> None:
    settings = environment({"AKG_OPENSEARCH_URL": "http://127.0.0.1:9"})
    with subprocess.Popen(  # noqa: S603 - this Python, this checkout
        [*AKG, "mcp"], cwd=tmp_path, env=settings, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        lines = []
        for messages in ((INITIALIZE,), (INITIALIZED, SEARCH)):
            process.stdin.write(b"".join(orjson.dumps(message) + b"\n" for message in messages))
            process.stdin.flush()
            lines.append(process.stdout.readline())
        rest, log = process.communicate(timeout=TIMEOUT_SECONDS)
    assert (process.returncode, rest) == (0, b"")
    initialized, called = map(orjson.loads, lines)
    assert initialized["result"]["instructions"].endswith(NOTICE)
    assert called["result"]["isError"]
    assert called["result"]["content"][0]["text"].startswith("Search engine unavailable")
    assert b"typed" not in log
