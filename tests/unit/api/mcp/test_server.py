"""The MCP server for old and new clients: what it lists, and its errors. OpenSearch is not running."""

import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from jsonschema_rs import meta
from mcp import Client, MCPError
from mcp.server import Server
from mcp.server.context import ServerRequestContext
from tdqs import lint_server, parse_tool_definitions

from api.about import NOTICE
from api.engine.search_engine import SearchEngine
from api.http.envelope import Envelope
from api.mcp.descriptions import DESCRIPTIONS
from api.mcp.server import guard, mcp_server
from api.service import GraphService
from api.settings import Settings
from schema.english_words import Dictionary
from schema.vocabulary import read_vocabulary

MAX_LIST_BYTES = 20_000
NAMES = [
    "search_accommodations",
    "recommend_accommodations",
    "get_entity",
    "get_related",
    "related_conditions",
    "connections",
    "list_entities",
    "describe_graph",
    "search",
    "fetch",
]


@pytest.fixture(scope="module")
async def server(mappings: Path) -> AsyncIterator[Server[Any]]:
    settings = Settings(deadline_seconds=0.2)
    engine = SearchEngine(settings, ["http://127.0.0.1:9"])
    service = GraphService(engine, read_vocabulary(mappings), Dictionary(frozenset()))
    yield mcp_server(service, Envelope(settings), settings)
    await engine.close()


@pytest.fixture(params=["legacy", "auto"])
def client(request: pytest.FixtureRequest, server: Server[Any]) -> Client:
    """Return a client that each test enters itself: its tasks may not outlive the task that created them."""
    return Client(server, mode=request.param)


async def test_the_server_has_instructions_and_all_capabilities(client: Client) -> None:
    async with client:
        assert client.instructions
        assert client.instructions.endswith(NOTICE)
        capabilities = client.server_capabilities
        assert capabilities is not None
        assert all((capabilities.tools, capabilities.resources, capabilities.prompts, capabilities.completions))


async def test_every_tool_is_published_as_read_only_with_both_schemas(client: Client) -> None:
    async with client:
        listed = (await client.list_tools()).tools
        assert [tool.name for tool in listed] == NAMES
        for tool in listed:
            words = DESCRIPTIONS[tool.name]
            assert (tool.title, tool.description) == (words.title, words.description)
            assert tool.annotations == types.ToolAnnotations(
                read_only_hint=True, open_world_hint=False, idempotent_hint=True, destructive_hint=False
            )
            meta.validate(tool.output_schema or {})
            assert (tool.output_schema or {})["type"] == "object"


async def test_the_list_of_tools_is_short(client: Client) -> None:
    async with client:
        listed = (await client.list_tools()).model_dump_json(by_alias=True, exclude_none=True)
    assert len(listed.encode()) <= MAX_LIST_BYTES


async def test_definitions_pass_the_tool_definition_quality_score(client: Client) -> None:
    """The stages of TDQS that need no model: signals, hard gates, tools that shadow each other, the checklist."""
    async with client:
        listed = (await client.list_tools()).model_dump(mode="json", by_alias=True, exclude_none=True)
    report = lint_server(server_name="akg", tools=parse_tool_definitions(listed).tools)
    assert len(report.tools) == len(NAMES)
    assert (report.findings, report.shadow_candidates) == ([], [])


async def test_resources_and_prompts_are_listed(client: Client) -> None:
    async with client:
        resources = (await client.list_resources()).resources
        assert [resource.uri for resource in resources] == ["akg://graph", "akg://about"]
        templates = (await client.list_resource_templates()).resource_templates
        assert [template.uri_template for template in templates] == ["akg://entity/{type}/{id}"]
        prompts = (await client.list_prompts()).prompts
        assert [prompt.name for prompt in prompts] == ["plan_accommodations", "explain_connection"]
        assert [argument.required for argument in prompts[0].arguments or ()] == [True, False]


async def test_a_prompt_is_filled_in(client: Client) -> None:
    async with client:
        prompt = await client.get_prompt("plan_accommodations", {"need": "my hands shake", "job": "bookkeeper"})
        (message,) = prompt.messages
        assert isinstance(message.content, types.TextContent)
        assert "my hands shake" in message.content.text
        assert message.content.text.endswith(NOTICE)


@pytest.mark.parametrize(
    ("name", "arguments", "text"),
    [
        ("plan_accommodations", {}, "Missing arguments: need."),
        ("plan", {"need": "a"}, "Unknown prompt. Valid prompts: plan_accommodations, explain_connection."),
    ],
)
async def test_an_unknown_prompt_or_a_missing_argument_is_an_error(
    client: Client, name: str, arguments: dict[str, str], text: str
) -> None:
    async with client:
        with pytest.raises(MCPError, match=text):
            await client.get_prompt(name, arguments)


async def test_types_are_completed_without_opensearch(client: Client) -> None:
    async with client:
        entity = types.ResourceTemplateReference(uri="akg://entity/{type}/{id}")
        types_with_d = await client.complete(entity, {"name": "type", "value": "D"})
        assert types_with_d.completion.values == ["disability"]
        for ref, name in ((entity, "other"), (types.PromptReference(name="nobody"), "need")):
            assert (await client.complete(ref, {"name": name, "value": ""})).completion.values == []
        with pytest.raises(MCPError, match="should have no control characters"):
            await client.complete(entity, {"name": "type", "value": "d\0"})


async def test_an_unknown_tool_is_a_protocol_error_that_names_the_tools(client: Client) -> None:
    async with client:
        with pytest.raises(MCPError, match=r"Unknown tool\. Valid tools: search_accommodations, ") as error:
            await client.call_tool("search_everything", {})
        assert error.value.code == types.INVALID_PARAMS


@pytest.mark.parametrize(
    ("uri", "text"),
    [
        ("akg://nothing", "Unknown resource. Valid resources: akg://graph, akg://about, akg://entity/"),
        ("akg://entity/dragon/smaug", "Unknown resource."),
        ("https://example.org/", "Unknown resource."),
    ],
)
async def test_an_unknown_resource_is_an_error_that_names_the_resources(client: Client, uri: str, text: str) -> None:
    async with client:
        with pytest.raises(MCPError, match=text) as error:
            await client.read_resource(uri)
        assert (error.value.code, error.value.data["uri"]) == (types.INVALID_PARAMS, uri)
        assert error.value.data.keys() == {"uri", "provenance", "notice"}


async def test_without_opensearch_there_is_an_error_and_no_empty_result(client: Client) -> None:
    async with client:
        result = await client.call_tool("search_accommodations", {"query": "low vision"})
        assert result.is_error
        assert result.structured_content is None
        (content,) = result.content
        assert isinstance(content, types.TextContent)
        assert content.text.startswith("Search engine unavailable: ")
        assert content.text.endswith(f"\n{NOTICE}")
        assert (result.meta or {}).keys() >= {"provenance", "notice"}
        with pytest.raises(MCPError, match="Search engine unavailable") as error:
            await client.read_resource("akg://graph")
        assert error.value.code == types.INTERNAL_ERROR


async def test_an_unexpected_error_is_logged_by_type_only(caplog: pytest.LogCaptureFixture) -> None:
    class Request:
        method = "tools/call"

    async def defective(_: ServerRequestContext) -> None:
        raise KeyError("what a person typed")

    with caplog.at_level(logging.ERROR), pytest.raises(MCPError, match="Something went wrong on our side") as error:
        await guard(Request(), defective)  # type: ignore[arg-type]
    assert error.value.code == types.INTERNAL_ERROR
    assert [record.getMessage() for record in caplog.records] == ["defect in tools/call: KeyError"]
