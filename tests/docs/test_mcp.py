"""The pages on MCP and server.json describe exactly the tools, arguments, resources and prompts of the MCP server."""

import json
import re
import shlex
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from api.errors import InvalidError
from api.mcp.arguments import flat_schema
from api.mcp.descriptions import DESCRIPTIONS, INSTRUCTIONS, PROMPTS
from api.mcp.resources import ENTITY, FIXED_RESOURCES
from api.mcp.tools import TOOLS, error_text, parse_id
from indexer.graph.model import Graph
from schema.entity_kinds import ENTITY_TYPES
from tests.support.markdown import blocks, code, rows, section
from tests.support.project import DOCS, ROOT

PAGE = (DOCS / "reference/mcp.md").read_text("utf-8")
SETUP = (DOCS / "how-to/connect-an-assistant.md").read_text("utf-8")
SERVER = json.loads((ROOT / "server.json").read_text("utf-8"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
CALL = re.compile(r"`(GET|POST) (/[^`]*)`")
EXAMPLE_ID = re.compile(rf"\b({'|'.join(ENTITY_TYPES)}):([A-Za-z0-9][\w.-]*\w)")
NOT_IN_REST = {"detail", "other"}


def listed(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def test_the_page_lists_exactly_the_tools_with_their_arguments() -> None:
    found = {code(row["tool"]): listed(row["arguments"]) for row in rows(section(PAGE, "Tools"))}
    assert found == {name: list(flat_schema(tool.arguments)["properties"]) for name, tool in TOOLS.items()}


def test_the_page_lists_exactly_the_resources_and_prompts() -> None:
    resources = [code(row["address"]) for row in rows(section(PAGE, "Resources"))]
    assert resources == [*FIXED_RESOURCES, ENTITY.template]
    prompts = {code(row["prompt"]): listed(row["arguments"]) for row in rows(section(PAGE, "Prompts"))}
    assert prompts == {name: [argument.name for argument in prompt.arguments] for name, prompt in PROMPTS.items()}


def test_every_id_in_an_example_is_in_the_shipped_graph(shipped_graph: Graph) -> None:
    with pytest.raises(InvalidError) as error:
        parse_id("vendor:a", "product")
    texts = [PAGE, error_text(error.value).partition("vendor:a")[2], INSTRUCTIONS]
    texts += [words.description for words in DESCRIPTIONS.values()]
    texts += [json.dumps(flat_schema(tool.arguments)) for tool in TOOLS.values()]
    examples = set(EXAMPLE_ID.findall("\n".join(texts)))
    assert ("solution", "cooling-clothing") in examples
    assert [":".join(example) for example in sorted(examples) if ":".join(example) not in shipped_graph.nodes] == []


def bounds(schema: dict[str, Any]) -> dict[str, Any]:
    """Return what REST and a tool must have in common: minimum, maximum, default and values."""
    option = next((option for option in schema.get("anyOf", ()) if option["type"] != "null"), schema)
    names = ("minimum", "maximum", "default", "enum")
    found = {name: schema.get(name, option.get(name)) for name in names}
    return {name: value for name, value in found.items() if value not in (None, [])}


def test_arguments_have_the_names_and_bounds_of_rest(document: dict[str, Any]) -> None:
    for row in rows(section(PAGE, "Tools")):
        call = CALL.search(row["the same as"])
        if call is None:
            continue
        operation = document["paths"][call[2]][call[1].lower()]
        known = {parameter["name"]: parameter["schema"] for parameter in operation.get("parameters", ())}
        if "requestBody" in operation:
            known |= document["components"]["schemas"]["RecommendRequest"]["properties"]
        published = flat_schema(TOOLS[code(row["tool"])].arguments)["properties"]
        assert set(published) - NOT_IN_REST <= set(known), row["tool"]
        for name in set(published) & set(known) - {"id", "scope"}:
            assert bounds(published[name]) == bounds(known[name]), f"{row['tool']}: {name}"


def configurations() -> Iterator[dict[str, Any]]:
    for block in blocks(SETUP):
        found = json.loads(block.text) if block.language == "json" else {}
        if {"mcpServers", "servers"} & found.keys():
            yield found


def test_every_configuration_has_one_server_with_url_or_command() -> None:
    found = list(configurations())
    assert len(found) == 4
    for configuration in found:
        ((name, server),) = next(iter(configuration.values())).items()
        assert name == "accommodations"
        assert "http://localhost:8080/mcp" in server.values() or server["args"] == ["mcp"]


def test_every_command_line_has_the_url_of_the_server() -> None:
    commands = [shlex.split(block.text) for block in blocks(SETUP) if block.language == "sh"]
    assert commands
    assert all("http://localhost:8080/mcp" in command for command in commands)


def test_the_registry_entry_matches_its_schema_and_this_version() -> None:
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", SERVER["name"])
    assert 0 < len(SERVER["description"]) <= 100
    assert SERVER["version"] == PROJECT["version"]
    (remote,) = SERVER["remotes"]
    assert remote["type"] == "streamable-http"
    assert set(re.findall(r"\{(\w+)\}", remote["url"])) == set(remote["variables"])
    assert remote["url"].endswith("/mcp")


def test_passing_and_failing_scenarios_do_not_overlap() -> None:
    listed_failures = (ROOT / "tests" / "contract" / "mcp" / "expected-failures.yml").read_text("utf-8")
    failing = yaml.safe_load(listed_failures)["server"]
    passing = [code(row["scenario"]) for row in rows(section(PAGE, "The protocol"))]
    assert len(set(passing) | set(failing)) == len(passing) + len(failing)
    reasons = [line for line in listed_failures.splitlines() if line.startswith("  - ")]
    assert all(re.search(r"# \S.*$", line) for line in reasons)


@pytest.mark.parametrize("name", ["package.json", "package-lock.json"])
def test_the_scenarios_are_pinned_without_a_download_url(name: str) -> None:
    text = (ROOT / "tests" / "contract" / "mcp" / name).read_text("utf-8")
    assert '"@modelcontextprotocol/conformance": "0.1.13"' in text
    assert '"resolved"' not in text
