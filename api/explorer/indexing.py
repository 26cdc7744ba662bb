"""The index of the API for programs, and `llms.txt`, both out of the OpenAPI document. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from api import results

if TYPE_CHECKING:
    from collections.abc import Mapping

Body = dict[str, Any]
PLACES = {
    "explorer": "/",
    "reference": "/explore/reference",
    "openapi": "/openapi.json",
    "mcp": "/mcp",
    "llms": "/llms.txt",
}


def index(document: Mapping[str, Any]) -> Body:
    """Every call with what it says and an example that works, without provenance and notice."""
    calls = [
        _call(method.upper(), path, operation, document)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if path != "/"
    ]
    return {"says": document["info"]["description"], **PLACES, "calls": calls}


def _call(method: str, path: str, operation: Mapping[str, Any], document: Mapping[str, Any]) -> Body:
    example, query = path, []
    for parameter in operation.get("parameters", ()):
        if "example" not in parameter:
            continue
        if parameter["in"] == "path":
            example = example.replace(f"{{{parameter['name']}}}", quote(str(parameter["example"])))
        elif parameter.get("required"):
            query.append((parameter["name"], parameter["example"]))
    body = None
    if "requestBody" in operation:
        reference = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"]
        body = document["components"]["schemas"][reference.rpartition("/")[2]]["examples"][0]
    says = operation["description"].partition("\n")[0]
    address = f"{example}?{urlencode(query)}" if query else example
    return {"method": method, "path": path, "says": says, "example": address, "body": body}


def llms(told: Mapping[str, Any], base: str, notice: Mapping[str, str]) -> str:
    """The index in the form that llmstxt.org proposes: a title, a summary, lists of links."""
    lines = [
        f"# {results.SERVICE}",
        "",
        f"> {told['says']}",
        "",
        "No key and no account. Every answer names its sources and its release. An id is `type:key`; wherever a path",
        "takes an id, the id, its key or its slug works.",
        "",
        f"Tools for assistants (Model Context Protocol, streamable HTTP, no authentication): {base}{told['mcp']}",
        "",
        "## Calls",
        "",
    ]
    for one in told["calls"]:
        how = f"`{one['method']} {one['path']}`"
        lines.append(f"- [{how}]({base}{one['example']}): {one['says']}")
    lines += [
        "",
        "## Reference",
        "",
        f"- [OpenAPI 3.1]({base}{told['openapi']}): every parameter, answer and error.",
        f"- [API reference]({base}{told['reference']}): the same, to be read and tried.",
        f"- [Explorer]({base}{told['explorer']}): pages for people.",
        f"- [Usage]({base}/usage): how much the service is used.",
        "",
        "## Notice",
        "",
        f"{notice['text']} Advice: {notice['url']}",
        "",
    ]
    return "\n".join(lines)
