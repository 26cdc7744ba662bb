"""The MCP server on OpenSearch, called by the official client: the same results as the REST API.

The client validates every structured result against the output schema of its tool.
"""

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import httpx
import mcp_types as types
import orjson
import pytest
from mcp import Client, MCPError
from mcp.server import Server

from akg.evaluation.metrics import read_judgments
from api.about import NOTICE
from api.engine.search_engine import SearchEngine
from api.http.envelope import Envelope
from api.mcp.descriptions import PROMPTS
from api.mcp.server import mcp_server
from api.mcp.tools import TOOLS
from api.service import GraphService
from api.settings import Settings
from indexer.graph.model import Graph
from schema.english_words import english_words
from schema.entity_kinds import ENTITY_TYPES
from schema.vocabulary import read_vocabulary
from tests.support.fixture_graphs import MAPPINGS
from tests.support.written_documents import ADHD

MAX_TEXT_LENGTH = 6_000
MAX_STRUCTURE_BYTES = 12_000

MEMORY, RRMS = "limitation:memory-loss", "disability:relapsing-remitting-multiple-sclerosis"

# Each tool, and the REST request with the same result.
REST_EQUIVALENTS: list[tuple[str, dict[str, Any], str]] = [
    ("search_accommodations", {"query": "adhd"}, "/search?query=adhd"),
    (
        "search_accommodations",
        {"query": "low vision", "scope": ["solution", "disability"], "limit": 2, "offset": 1},
        "/search?query=low+vision&scope=solution&scope=disability&limit=2&offset=1",
    ),
    ("search_accommodations", {"query": "telwork", "synonyms": "off"}, "/search?query=telwork&synonyms=off"),
    ("search_accommodations", {"query": "zzzzqqqq"}, "/search?query=zzzzqqqq"),
    ("get_entity", {"id": "disability:crohns-disease"}, "/disability/crohns-disease"),
    (
        "get_entity",
        {"id": "customer-service-representatives", "type": "occupation"},
        "/occupation/customer-service-representatives",
    ),
    ("list_entities", {"type": "solution", "limit": 3, "offset": 3}, "/solution?limit=3&offset=3"),
    (
        "get_related",
        {"id": "limitation:low-vision", "edge": "limitation_of", "limit": 1},
        "/limitation/low-vision/neighbors?edge=limitation_of&limit=1",
    ),
    (
        "get_related",
        {"id": "low-vision", "type": "limitation", "edge": "broader"},
        "/limitation/low-vision/neighbors?edge=broader",
    ),
    (
        "related_conditions",
        {"id": "disability:multiple-sclerosis", "limit": 2},
        "/related_conditions/multiple-sclerosis?limit=2",
    ),
    ("related_conditions", {"id": "multiple-sclerosis"}, "/related_conditions/multiple-sclerosis"),
    (
        "connections",
        {"from": "Low Vision", "to": "vendor:brightline-access", "limit": 2},
        "/connections?from=Low+Vision&to=vendor:brightline-access&limit=2",
    ),
    ("describe_graph", {}, "/graph"),
    ("search_accommodations", {"query": "seat", "setting": "school"}, "/search?query=seat&setting=school"),
    ("list_entities", {"type": "solution", "setting": "testing"}, "/solution?setting=testing"),
    ("list_entities", {"type": "disability", "kind": "narrower"}, "/disability?kind=narrower"),
    ("get_entity", {"id": "disability:optic-neuritis"}, "/disability/optic-neuritis"),
    (
        "list_entities",
        {"type": "disability", "linked_to": MEMORY, "edge": "has_limitation"},
        f"/disability?linked_to={MEMORY}&edge=has_limitation",
    ),
    (
        "list_entities",
        {"type": "disability", "linked_to": [MEMORY], "inherited": False},
        f"/disability?linked_to={MEMORY}&inherited=false",
    ),
    (
        "list_entities",
        {"type": "solution", "linked_to": [RRMS, MEMORY], "inherited": True, "limit": 1},
        f"/solution?linked_to={RRMS}&linked_to={MEMORY}&inherited=true&limit=1",
    ),
    ("list_entities", {"type": "vendor", "linked_to": MEMORY}, f"/vendor?linked_to={MEMORY}"),
    (
        "list_entities",
        {"type": "solution", "edge": ["recommended_for"], "inherited": False, "limit": 2},
        "/solution?edge=recommended_for&inherited=false&limit=2",
    ),
    (
        "get_related",
        {"id": MEMORY, "edge": "limitation_of", "sort": "name"},
        "/limitation/memory-loss/neighbors?edge=limitation_of&sort=name",
    ),
]
RECOMMENDED: list[dict[str, Any]] = [
    {"disability": "ADHD"},
    {"disability": "multiple-sclerosis", "limitation": None, "limit": 2},
    {"limitation": "limitation:memory-loss", "occupation": "43-4051.00"},
    {"disability": "ADHD", "setting": "school"},
    {"disability": "multiple-sclerosis", "limit": 501},
]
INVALID_CALLS: list[tuple[str, dict[str, Any], str]] = [
    ("search_accommodations", {}, "query is missing"),
    ("search_accommodations", {"query": "a", "limt": 1}, "unknown argument 'limt' (did you mean 'limit'?)"),
    ("get_entity", {"id": "low-vision"}, "'low-vision' names several entities. Nearest: Low Vision ["),
    ("get_entity", {"id": "sweden"}, "unknown entity 'sweden'."),
    (
        "get_entity",
        {"id": "disability:low-vison"},
        "There is no disability 'low-vison'. Nearest: Low Vision [disability:low-vision]",
    ),
    (
        "get_related",
        {"id": "limitation:low-vision", "edge": "recommend"},
        "unknown edge 'recommend'; this entity has: ",
    ),
    ("get_related", {"id": "limitation:low-vision", "edge": "sold"}, "unknown edge 'sold'; this entity has: "),
    (
        "related_conditions",
        {"id": "limitation:low-vision"},
        "id: 'limitation:low-vision' is a limitation; this tool needs a disability",
    ),
    (
        "recommend_accommodations",
        {},
        "give a question, or at least one of disability, limitation, work_function, occupation",
    ),
    (
        "recommend_accommodations",
        {"disability": "multiple sclrosis"},
        "unknown disability 'multiple sclrosis'. Nearest: Multiple Sclerosis [disability:multiple-sclerosis]",
    ),
    ("list_entities", {"type": "dragon"}, "type: 'dragon' is not a valid value"),
    ("fetch", {"id": "solution:nothing-of-the-kind-exists"}, "There is no solution 'nothing-of-the-kind-exists'."),
]


@asynccontextmanager
async def mcp_over(node_url: str, alias: str) -> AsyncIterator[Server[Any]]:
    settings = Settings(alias=alias, deadline_seconds=20)  # a busy machine must not change a response
    engine = SearchEngine(settings, [node_url])
    try:
        yield mcp_server(GraphService(engine, read_vocabulary(MAPPINGS), english_words()), Envelope(settings), settings)
    finally:
        await engine.close()


@pytest.fixture(scope="session")
async def server(node_url: str, service: httpx.AsyncClient) -> AsyncIterator[Server[Any]]:
    assert service
    async with mcp_over(node_url, "akg-world") as opened:
        yield opened


@pytest.fixture(params=["memory legacy", "memory auto", "http legacy", "http auto"])
def connector(request: pytest.FixtureRequest, server: Server[Any], address: str) -> Client:
    """A client for each transport and protocol version, not yet connected."""
    transport, mode = request.param.split()
    return Client(server if transport == "memory" else f"{address}/mcp", mode=mode)


def text_of(found: types.CallToolResult) -> str:
    content = found.content[0]
    assert isinstance(content, types.TextContent)
    return content.text


async def test_every_tool_returns_the_rest_response_as_structured_content_and_as_text(
    connector: Client, service: httpx.AsyncClient
) -> None:
    async with connector:
        for name, arguments, path in REST_EQUIVALENTS:
            detail = {"detail": "full"} if name != "describe_graph" else {}
            found = await connector.call_tool(name, {**arguments, **detail})
            assert not found.is_error, text_of(found)
            assert_same(found, (await service.get(path)).json())
        for arguments in RECOMMENDED:
            found = await connector.call_tool("recommend_accommodations", {**arguments, "detail": "full"})
            assert not found.is_error, text_of(found)
            assert_same(found, (await service.post("/recommend", json=arguments)).json())


def assert_same(found: types.CallToolResult, rest: dict[str, Any]) -> None:
    content = found.structured_content
    assert content == rest
    text = text_of(found)
    assert len(text) < MAX_TEXT_LENGTH
    assert text.endswith(NOTICE)
    for result in content.get("results", ())[:10]:
        assert (result["why"] if "steps" in result else f"{result['name']} [{result['id']}]") in text


async def test_a_retired_id_returns_its_replacement_with_a_note(connector: Client) -> None:
    async with connector:
        for name, more in (("get_entity", {}), ("get_related", {"edge": "recommended_for"})):
            found = await connector.call_tool(name, {"id": "solution:working-from-home", **more})
            body = found.structured_content
            assert body.get("entity", body)["id"] == "solution:telework"
            assert body["warnings"][-1]["nearest"] == "solution:telework"
            assert "Note: solution:working-from-home is now solution:telework" in text_of(found)


async def test_a_linked_list_says_what_is_inherited_and_how_to_narrow_it(connector: Client) -> None:
    linked = {"type": "disability", "linked_to": MEMORY}
    async with connector:
        everything = await connector.call_tool("list_entities", linked)
        stated = await connector.call_tool("list_entities", {**linked, "inherited": False})
        unlinked = await connector.call_tool("list_entities", {"type": "disability", "edge": "has_limitation"})
    assert f"[{RRMS}]: Inherited: has_limitation [{MEMORY}]. " in text_of(everything)
    assert f": Stated: has_limitation [{MEMORY}]. " in text_of(everything)
    assert f"[{RRMS}]" not in text_of(stated)
    assert "Inherited: " not in text_of(stated)
    for found in (everything, stated):
        others = [entry["entity"]["id"] for entry in found.structured_content["facets"]["has_limitation"]]
        (facets,) = re.findall(r"^Facets of has_limitation, .*$", text_of(found), re.MULTILINE)
        assert re.findall(r"\[([^\]]+)\]", facets) == [id_ for id_ in others if id_ != MEMORY][:5]
    assert "\nNote: 'edge' has no effect without 'linked_to'\n" in text_of(unlinked)
    assert "'inherited'" not in text_of(unlinked)


async def test_the_text_of_neighbors_says_their_order(connector: Client) -> None:
    call = {"id": MEMORY, "edge": "limitation_of"}
    async with connector:
        by_weight = await connector.call_tool("get_related", call)
        by_name = await connector.call_tool("get_related", {**call, "sort": "name"})
    assert text_of(by_weight).partition("\n")[0].endswith(", strongest first.")
    assert text_of(by_name).partition("\n")[0].endswith(", by name.")


async def test_compares_two_conditions_by_all_shared_limitations(connector: Client) -> None:
    condition = {"id": "disability:chronic-optic-neuritis"}
    async with connector:
        everything = (await connector.call_tool("related_conditions", condition)).structured_content["results"]
        other = everything[-1]
        found = await connector.call_tool("related_conditions", {**condition, "other": other["id"]})
        none = await connector.call_tool("related_conditions", {**condition, "other": condition["id"]})
        unknown = await connector.call_tool("related_conditions", {**condition, "other": "disability:low-vison"})
    assert found.structured_content["results"] == [other]
    assert all(limitation["name"] in text_of(found) for limitation in other["shared"])
    assert (none.structured_content["results"], none.structured_content["warnings"][0]["parameter"]) == ([], "other")
    name = "Chronic Optic Neuritis"
    assert f"Note: {name} is not among the 50 conditions most related to {name}." in text_of(none)
    assert text_of(unknown).startswith("There is no disability 'low-vison'. Nearest: Low Vision")


async def test_an_invalid_call_is_a_tool_error_that_explains_how_to_correct_it(connector: Client) -> None:
    async with connector:
        for name, arguments, text in INVALID_CALLS:
            found = await connector.call_tool(name, arguments)
            assert found.is_error, name
            assert found.structured_content is None
            assert text_of(found).startswith(text)
            assert text_of(found).endswith(f"\n{NOTICE}")
            assert_blocks(found.meta)


def assert_blocks(members: dict[str, Any] | None) -> None:
    assert members is not None
    assert members["provenance"]["sources"]
    assert members["notice"]["text"] == NOTICE


async def test_every_tool_resource_and_prompt_carries_provenance_and_notice(connector: Client) -> None:
    calls = [(name, arguments) for name, arguments, _ in REST_EQUIVALENTS]
    calls += [("recommend_accommodations", RECOMMENDED[0]), ("search", {"query": "adhd"}), ("fetch", {"id": ADHD})]
    assert {name for name, _ in calls} == set(TOOLS)
    async with connector:
        for name, arguments in calls:
            found = await connector.call_tool(name, arguments)
            assert_blocks(found.meta)
            assert_blocks(found.structured_content)
        for name in TOOLS:
            invalid = await connector.call_tool(name, {"no such argument": 1})
            assert invalid.is_error, name
            assert_blocks(invalid.meta)
        for uri in ("akg://graph", "akg://about", "akg://entity/solution/telework"):
            assert_blocks((await connector.read_resource(uri)).meta)
        for prompt in PROMPTS.values():
            values = {argument.name: "low vision" for argument in prompt.arguments}
            assert_blocks((await connector.get_prompt(prompt.name, values)).meta)
        with pytest.raises(MCPError) as error:
            await connector.read_resource("akg://nothing")
        assert_blocks(error.value.data)


def without_provenance(body: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if name != "provenance"}


async def test_documents_can_be_searched_and_fetched_with_a_url_to_cite(connector: Client, address: str) -> None:
    async with connector:
        found = await connector.call_tool("search", {"query": "adhd"})
        document = await connector.call_tool("fetch", {"id": ADHD})
    base = address if isinstance(connector.server, str) else "akg://entity"
    path = f"{base}/{ADHD.replace(':', '/')}"
    assert orjson.loads(text_of(found)) == without_provenance(found.structured_content)
    assert found.structured_content["results"][0] == {
        "id": ADHD,
        "title": "Attention Deficit/Hyperactivity Disorder",
        "url": path,
    }
    assert orjson.loads(text_of(document)) == without_provenance(document.structured_content)
    assert len(text_of(document)) < MAX_TEXT_LENGTH
    fetched = document.structured_content
    assert (fetched["id"], fetched["url"], fetched["metadata"]["type"]) == (ADHD, path, "disability")
    assert fetched["text"].endswith(NOTICE)
    assert fetched["metadata"]["notice"] == NOTICE


async def test_guides_are_documents_before_the_entities(connector: Client, address: str) -> None:
    async with connector:
        found = await connector.call_tool("search", {"query": "504 plan for adhd"})
        fetched = (await connector.call_tool("fetch", {"id": "guide:school-plan"})).structured_content
    base = f"{address}/guides/" if isinstance(connector.server, str) else "akg://guides/"
    guide, first, *_ = found.structured_content["results"]
    assert guide == {"id": "guide:school-plan", "title": "School plan", "url": f"{base}school-plan"}
    assert first["id"] == ADHD
    assert (fetched["id"], fetched["url"], fetched["metadata"]["type"]) == (guide["id"], guide["url"], "guide")
    assert "https://office.example.org/school-plan/1" in fetched["text"]


async def test_every_resource_can_be_read(connector: Client, service: httpx.AsyncClient) -> None:
    async with connector:
        names = ("graph", "about", "entity/solution/telework", "entity/occupation/43-4051.00")
        graph, about, solution, occupation = [
            (await connector.read_resource(f"akg://{name}")).contents[0] for name in names
        ]
        with pytest.raises(MCPError, match=r"There is no disability 'low-vison'\. Nearest: Low Vision") as error:
            await connector.read_resource("akg://entity/disability/low-vison")
    assert error.value.code == types.INVALID_PARAMS
    for content, path in ((graph, "/graph"), (solution, "/solution/telework"), (occupation, "/occupation/43-4051.00")):
        assert isinstance(content, types.TextResourceContents)
        assert content.mime_type == "application/json"
        rest = (await service.get(path)).json()
        assert orjson.loads(content.text).keys() == rest.keys()
    assert isinstance(about, types.TextResourceContents)
    assert about.mime_type == "text/markdown"
    assert NOTICE in about.text
    licence = "[CC-BY-4.0](https://creativecommons.org/licenses/by/4.0/)"
    attribution = "Includes information from The Job Book 7 by the Office of Jobs."
    assert f"- **The Job Book 7** ({licence}). {attribution}\n" in about.text


async def test_arguments_of_prompts_and_resources_are_completed(connector: Client) -> None:
    plan = types.PromptReference(name="plan_accommodations")
    entity = types.ResourceTemplateReference(uri="akg://entity/{type}/{id}")
    async with connector:
        needs = await connector.complete(plan, {"name": "need", "value": "low vi"})
        jobs = await connector.complete(plan, {"name": "job", "value": "customer"})
        keys = await connector.complete(
            entity, {"name": "id", "value": "multip"}, context_arguments={"type": "disability"}
        )
    assert needs.completion.values[0] == "Low Vision"
    assert jobs.completion.values == ["Customer Service Representatives"]
    assert keys.completion.values == ["multiple-sclerosis", "relapsing-remitting-multiple-sclerosis"]


async def post_call(service: httpx.AsyncClient, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
    return dict((await service.post("/mcp", json=body)).json()["result"])


async def test_rest_and_mcp_return_the_same_ids_in_the_same_order(real_service: httpx.AsyncClient) -> None:
    judged = read_judgments(MAPPINGS / "relevance" / "judgments.tsv")
    queries = [judgment.query for judgment in judged[:: len(judged) // 100][:100]]
    assert len(queries) == 100
    for query in queries:
        rest = (await real_service.get("/search", params={"query": query})).json()
        found = await post_call(real_service, "search_accommodations", {"query": query})
        ids = [hit["id"] for hit in rest["results"]]
        assert [hit["id"] for hit in found["structuredContent"]["results"]] == ids, query
        ids_in_text = re.findall(r"^\d+\. .*?\[([^\]]+)\]", found["content"][0]["text"], re.MULTILINE)
        assert ids_in_text == ids, query


async def test_the_text_continues_where_a_shortened_structure_ends(real_service: httpx.AsyncClient) -> None:
    calls: list[tuple[str, dict[str, Any]]] = [
        ("get_related", {"id": "ability:near-vision", "edge": "required_by", "limit": 500}),
        ("list_entities", {"type": "product", "limit": 100}),
        ("search_accommodations", {"query": "keyboard", "limit": 100}),
    ]
    for name, arguments in calls:
        result = await post_call(real_service, name, arguments)
        shown = len(result["structuredContent"]["results"])
        (offset,) = re.findall(r"offset=(\d+)", result["content"][0]["text"])
        assert 0 < int(offset) <= shown < arguments["limit"], name


def largest_entities(graph: Graph, count: int) -> dict[str, list[str]]:
    """Return the entities of a graph with the most edges, by type."""
    largest = sorted(graph.nodes, key=graph.degree, reverse=True)
    types = read_vocabulary(MAPPINGS).types
    return {kind: [node for node in largest if node.startswith(f"{kind}:")][:count] for kind in types}


def calls_about(kind: str, entity: str, edges: Sequence[str]) -> list[tuple[str, dict[str, Any]]]:
    """Return the calls of all tools that have an entity as an argument."""
    calls = [("get_entity", {"id": entity}), ("fetch", {"id": entity})]
    calls += [("get_related", {"id": entity, "edge": edge}) for edge in edges]
    seeds = {"disability": "disability", "limitation": "limitation", "workrelatedfunction": "work_function"}
    if kind in seeds:
        calls.append(("recommend_accommodations", {seeds[kind]: entity}))
    if kind == "disability":
        calls.append(("related_conditions", {"id": entity}))
    return [*calls, ("connections", {"from": entity, "to": "disability:multiple-sclerosis"})]


LONG_LISTS: list[tuple[str, dict[str, Any]]] = [
    *(("search_accommodations", {"query": "software", "limit": limit}) for limit in (20, 500)),
    ("get_related", {"id": "disability:multiple-sclerosis", "edge": "recommends", "limit": 500}),
    ("recommend_accommodations", {"disability": "multiple sclerosis", "limit": 500}),
    ("related_conditions", {"id": "disability:fibromyalgia", "limit": 50}),
    *(("list_entities", {"type": kind, "limit": 100}) for kind in ENTITY_TYPES),
    *(
        ("list_entities", {"type": "solution", "linked_to": "disability:multiple-sclerosis", "limit": limit})
        for limit in (20, 100)
    ),
    ("connections", {"from": "multiple sclerosis", "to": "fibromyalgia", "limit": 20}),
    ("search", {"query": "software"}),
]


async def test_results_of_the_largest_entities_are_short(
    real_service: httpx.AsyncClient, node_url: str, shipped_graph: Graph
) -> None:
    assert (await real_service.get("/readyz")).status_code == 200
    calls = list(LONG_LISTS)
    for kind, entities in largest_entities(shipped_graph, 2).items():
        for entity in entities:
            record = (await real_service.get(f"/{kind}/{entity.partition(':')[2]}")).json()
            calls += calls_about(kind, entity, [edge["name"] for edge in record["edges"]])
    async with mcp_over(node_url, "akg-real") as opened, Client(opened) as connected:
        for name, arguments in [*calls, ("describe_graph", {})]:
            found = await connected.call_tool(name, arguments)  # the client checks the structure against the schema
            assert not found.is_error, text_of(found)
            assert len(text_of(found)) < MAX_TEXT_LENGTH, (name, arguments)
            assert len(orjson.dumps(found.structured_content)) <= MAX_STRUCTURE_BYTES, (name, arguments)
        assert "USDOL/ETA has not approved, endorsed, or tested these modifications." in text_of(found)


async def test_a_brief_result_counts_what_it_leaves_out_and_links_to_the_rest(
    real_service: httpx.AsyncClient, node_url: str
) -> None:
    assert (await real_service.get("/readyz")).status_code == 200
    entity = {"id": "disability:multiple-sclerosis"}
    seed, uri = {"disability": entity["id"]}, "akg://entity/disability/multiple-sclerosis"
    async with mcp_over(node_url, "akg-real") as opened, Client(opened) as connected:
        for name, arguments, cut in (
            ("get_entity", entity, "items"),
            ("recommend_accommodations", seed, "results"),
            ("related_conditions", entity, "shared"),
        ):
            brief = await connected.call_tool(name, arguments)
            full = await connected.call_tool(name, {**arguments, "detail": "full"})
            counts = [count_items(found.structured_content, cut) for found in (full, brief)]
            assert counts[0] - counts[1] >= brief.structured_content["omitted"][cut] > 0
            assert "omitted" not in full.structured_content
            assert text_of(brief) == text_of(full)
            assert brief.meta == full.meta
            assert [block.type for block in full.content] == ["text"]
            (link,) = brief.content[1:]
            assert isinstance(link, types.ResourceLink)
            assert link.uri == uri
        record = (await connected.read_resource(uri)).contents[0]
    assert isinstance(record, types.TextResourceContents)
    assert orjson.loads(record.text) == (await real_service.get("/disability/multiple-sclerosis")).json()


def count_items(value: object, name: str) -> int:
    """Return the number of items in all lists of this name."""
    if isinstance(value, list):
        return sum(count_items(item, name) for item in value)
    if not isinstance(value, dict):
        return 0
    own = len(value[name]) if isinstance(value.get(name), list) else 0
    return own + sum(count_items(member, name) for member in value.values())


async def test_clients_of_older_revisions_get_no_links(real_service: httpx.AsyncClient) -> None:
    call = {"name": "get_entity", "arguments": {"id": "disability:multiple-sclerosis"}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    for headers, kinds in (({}, ["text"]), ({"MCP-Protocol-Version": "2025-06-18"}, ["text", "resource_link"])):
        found = (await real_service.post("/mcp", json=body, headers=headers)).json()["result"]
        assert [block["type"] for block in found["content"]] == kinds
