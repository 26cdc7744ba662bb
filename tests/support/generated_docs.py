"""The generated parts of the reference pages: `make reference` rewrites them.

A part is between `<!-- generated: NAME -->` and `<!-- end -->`. All other text of a page is written by hand.
"""

import asyncio
import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import typer.main
from pydantic import SecretStr
from pydantic.fields import FieldInfo

from akg.cli import app
from api import errors
from api.app import create_app
from api.mcp.arguments import flat_schema
from api.mcp.descriptions import DESCRIPTIONS
from api.mcp.tools import TOOLS
from api.search.ranking_table import ADDED, MATCHES
from api.settings import PREFIX, Settings
from schema.market_rules import MARKET_RULES
from schema.vocabulary import read_vocabulary
from tests.support import api_reference, generated_tables
from tests.support.asgi_clients import client_of
from tests.support.markdown import table
from tests.support.module_map import module_rows, package_rows
from tests.support.project import CONTENT, DOCS, MAPPINGS, ROOT

PART = re.compile(r"(<!-- generated: (.+?) -->\n).*?(<!-- end -->)", re.DOTALL)
REFERENCE = DOCS / "reference"
BOUNDS = ("limit", "offset", "query", "ids", "linked_to", "days", "question", "exclude", "disability")
LIMIT_SETTINGS = re.compile(
    r"AKG_(RATE_LIMIT|RATE_BURST|BODY_LIMIT|MCP_BODY|URL_LIMIT|DEADLINE|CONCURRENCY|QUEUE|CLIENT_TIMEOUT)"
)

Part = Callable[[str], str]


def render(page: str, part: Part) -> str:
    """Return the page with every generated part replaced; `part` returns the text of a name."""
    return PART.sub(lambda marked: f"{marked[1]}\n{part(marked[2])}\n\n{marked[3]}", page)


def pages() -> list[Path]:
    """Return the pages with generated parts."""
    return [path for path in sorted(DOCS.rglob("*.md")) if PART.search(path.read_text("utf-8"))]


def openapi() -> dict[str, Any]:
    """Return the OpenAPI document of a service with default settings."""

    async def read() -> dict[str, Any]:
        async with client_of(create_app(Settings())) as client:
            return dict((await client.get("/openapi.json")).json())

    return asyncio.run(read())


def parts(document: Mapping[str, Any]) -> Part:
    """Return the function that renders each named part."""
    fixed: dict[str, Callable[[], str]] = {
        "settings": settings,
        "commands": commands,
        "errors": error_statuses,
        "request bounds": lambda: bounds(document),
        "limit settings": limit_settings,
        "tools": tools,
        "content tables": content_tables,
        "market rules": market_rules,
        "edges": edges,
        **generated_tables.PARTS,
        "modules": lambda: table(("module", "what it does"), module_rows()),
        "packages": lambda: table(("package", "what it is for", "start reading at"), package_rows()),
        "matches": lambda: weights(sorted(MATCHES, key=lambda weight: -weight.points)),
        "added": lambda: weights(ADDED),
        "response models": lambda: api_reference.response_models(document),
    }

    def part(name: str) -> str:
        return fixed[name]() if name in fixed else api_reference.route(document, name)

    return part


def shown(field: FieldInfo) -> str:
    """Return the default of a setting as the page shows it."""
    default = field.default.get_secret_value() if isinstance(field.default, SecretStr) else field.default
    return "empty" if default in ((), "", None) else f"`{default}`"


def settings() -> str:
    """Return the table of all settings."""
    rows = [(f"`{PREFIX}{name.upper()}`", shown(field), field.description or "") for name, field in fields()]
    return table(("setting", "default", "meaning"), rows)


def fields() -> list[tuple[str, FieldInfo]]:
    """Return the settings by name."""
    return list(Settings.model_fields.items())


def limit_settings() -> str:
    """Return the settings that bound requests."""
    rows = [(f"`{PREFIX}{name.upper()}`", shown(field), field.description or "") for name, field in fields()]
    return table(("setting", "default", "meaning"), [row for row in rows if LIMIT_SETTINGS.search(row[0])])


def commands() -> str:
    """Return a section for each command of `akg`, with its help, arguments and options."""
    return "\n\n".join(_command(name, command) for name, command in walk(typer.main.get_command(app), "akg"))


def walk(command: Any, name: str) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - typer has no public type for it
    """Yield each command with its full name."""
    groups = getattr(command, "commands", None)
    if groups is None:
        yield name, command
        return
    for group, sub in groups.items():
        yield from walk(sub, f"{name} {group}")


def _command(name: str, command: Any) -> str:  # noqa: ANN401 - as above
    rows = [_parameter(param) for param in command.params if "--help" not in param.opts]
    words = re.sub(r"\s*\n\s*", " ", command.help.strip())
    lines = [f"### `{name}`", "", words]
    return "\n".join([*lines, "", table(("option", "default", "meaning"), rows)] if rows else lines)


def _parameter(param: Any) -> tuple[str, str, str]:  # noqa: ANN401 - as above
    is_option = param.param_type_name == "option"
    names = ", ".join(f"`{name}`" for name in param.opts) if is_option else f"`{param.name.upper()}`"
    default = "" if param.default in (None, False, ()) or callable(param.default) else f"`{param.default}`"
    return names, default if not param.required else "required", getattr(param, "help", "") or ""


def error_statuses() -> str:
    """Return the table of the errors of the API."""
    rows = [
        (
            str(error.status),
            error.title,
            (error.__doc__ or "").splitlines()[0],
            ", ".join(f"{s}" for s in _retry(error)),
        )
        for error in errors.ServiceError.__subclasses__()
    ]
    return table(("status", "title", "when", "Retry-After"), rows)


def _retry(error: type[errors.ServiceError]) -> Iterator[str]:
    if error.retry_seconds:
        yield f"{error.retry_seconds} s"


def bounds(document: Mapping[str, Any]) -> str:
    """Return the bounds of the parameters that have some."""
    rows = []
    for title, operation in api_reference.operations(document):
        for name, (_, values, default) in api_reference.parameters(document, operation).items():
            if name in BOUNDS:
                rows.append((title, f"`{name}`", values, default))
    return table(("call", "parameter", "values", "default"), rows)


def tools() -> str:
    """Return a section for each MCP tool: what it does, when to use it, its arguments and its result."""
    return "\n\n".join(_tool(name) for name in TOOLS)


def _tool(name: str) -> str:
    words, schema = DESCRIPTIONS[name], flat_schema(TOOLS[name].arguments)
    rows = [
        (
            f"`{argument}`",
            api_reference.values(field) if "type" in field or "anyOf" in field else "",
            field.get("description", ""),
        )
        for argument, field in schema["properties"].items()
    ]
    text = [f"### `{name}`", "", words.does, "", f"Use it {words.use_when} Returns {words.returns}"]
    return "\n".join([*text, "", table(("argument", "values", "meaning"), rows)] if rows else text)


def content_tables() -> str:
    """Return a section for each table of the content, from its description."""
    package = json.loads((CONTENT / "datapackage.json").read_text("utf-8"))
    return "\n\n".join(_content_table(resource) for resource in package["resources"])


def _content_table(resource: Mapping[str, Any]) -> str:
    rows = [(f"`{field['name']}`", _column_type(field), field["description"]) for field in resource["schema"]["fields"]]
    return "\n".join(
        [f"### `{resource['path']}`", "", resource["description"], "", table(("column", "type", "meaning"), rows)]
    )


def _column_type(field: Mapping[str, Any]) -> str:
    constraints = field.get("constraints", {})
    words = [" or ".join(f"`{value}`" for value in constraints["enum"])] if "enum" in constraints else [field["type"]]
    return ", ".join([*words, *(["required"] if constraints.get("required") else [])])


def market_rules() -> str:
    """Return the table of the rules of market verification."""
    rows = [(f"`{name}`", rule.status or "any", rule.sentence) for name, rule in MARKET_RULES.items()]
    return table(("`method`", "status", "what it means, as `note` says it"), rows)


def edges() -> str:
    """Return the table of the edges with their inverse names."""
    rows = [
        (f"`{edge.name}`", f"`{edge.inverse}`", "; ".join(f"{start} → {end}" for start, end in edge.pairs))
        for edge in read_vocabulary(MAPPINGS).edges.values()
        if edge.direction == "out"
    ]
    return table(("edge", "inverse", "from → to"), rows)


def weights(rows: Any) -> str:  # noqa: ANN401 - rows of `Weight`, a named tuple
    """Return a table of the search ranking."""
    cells = [(f"`{name}`", f"{points:,}", meaning, example) for name, points, meaning, example in rows]
    return table(("name", "points", "what it means", "example"), cells)


def main() -> None:
    """Rewrite the generated parts of every page."""
    part = parts(openapi())
    for path in pages():
        before = path.read_text("utf-8")
        after = render(before, part)
        if after != before:
            path.write_text(after, "utf-8")
            print(path.relative_to(ROOT))  # noqa: T201


if __name__ == "__main__":
    main()
