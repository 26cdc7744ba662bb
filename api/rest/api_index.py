"""Derives the machine-readable API index and `llms.txt` from the OpenAPI document. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from api import about

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schema.json_types import JsonObject

LINKS = {
    "explorer": "/",
    "reference": "/explore/reference",
    "openapi": "/openapi.json",
    "mcp": "/mcp",
    "llms": "/llms.txt",
}


def build_index(document: Mapping[str, Any]) -> JsonObject:
    """Return every call with its description and a working example, without provenance and notice."""
    calls = [
        _call(method.upper(), path, operation, document)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if path != "/"
    ]
    return {"description": document["info"]["description"], **LINKS, "calls": calls}


def _call(method: str, path: str, operation: Mapping[str, Any], document: Mapping[str, Any]) -> JsonObject:
    example, query = path, []
    for parameter in operation.get("parameters", ()):
        if "example" not in parameter:
            continue
        if parameter["in"] == "path":
            example = example.replace(f"{{{parameter['name']}}}", quote(str(parameter["example"])))
        elif parameter.get("required"):
            query.append((parameter["name"], parameter["example"]))
    body = None
    if "requestJsonObject" in operation:
        reference = operation["requestJsonObject"]["content"]["application/json"]["schema"]["$ref"]
        body = document["components"]["schemas"][reference.rpartition("/")[2]]["examples"][0]
    description = operation["description"].partition("\n")[0]
    url = f"{example}?{urlencode(query)}" if query else example
    return {"method": method, "path": path, "description": description, "example": url, "body": body}


def render_llms_txt(index: Mapping[str, Any], base_url: str, notice: Mapping[str, str]) -> str:
    """Return the index in the format of llmstxt.org: a title, a summary, lists of links."""
    calls = "\n".join(
        f"- [`{call['method']} {call['path']}`]({base_url}{call['example']}): {call['description']}"
        for call in index["calls"]
    )
    return f"""\
# {about.SERVICE_NAME}

> {index["description"]}

No key and no account. Every response names its sources and its release. An id is `type:key`; wherever a path
takes an id, the id, its key or its slug works.

Tools for assistants (Model Context Protocol, streamable HTTP, no authentication): {base_url}{index["mcp"]}

## Calls

{calls}

## Reference

- [OpenAPI 3.1]({base_url}{index["openapi"]}): every parameter, response and error.
- [API reference]({base_url}{index["reference"]}): the same to read and to try out.
- [Explorer]({base_url}{index["explorer"]}): web pages.
- [Usage]({base_url}/usage): how often the service is used.

## Notice

{notice["text"]} Advice: {notice["url"]}
"""
