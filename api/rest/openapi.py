"""The OpenAPI document, and the index of the API and `llms.txt`, which are derived from it.

It has what FastAPI cannot know: the errors of each route, examples, valid values and the problem schema.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel

from api import about, models
from api.errors import PROBLEM
from schema.json_types import JsonObject
from schema.vocabulary import Vocabulary

ERROR_DESCRIPTIONS = {
    301: "The id was retired or merged; `Location` is the id that replaces it.",
    404: "The entity or path does not exist; `suggestions` lists the nearest.",
    405: "The path does not support this method.",
    406: "The client does not accept JSON.",
    413: "The body exceeds the size limit.",
    416: "The range starts after the end of the file.",
    415: "The body is not declared as JSON.",
    429: "The client sent more than 100 requests (`/suggest`: 300) in 60 seconds; `Retry-After` says when to retry.",
    503: "The search engine is unavailable. Never an empty result.",
    504: "The search engine exceeded the deadline.",
}
ERRORS_BY_ROUTE = {
    "index": (406, 429, 503, 504),
    "healthz": (406,),
    "readyz": (406, 503),  # neither is rate-limited
    "search": (406, 429, 503, 504),
    "suggest": (406, 429, 503, 504),
    "recommend": (406, 413, 415, 429, 503, 504),
    "related_conditions": (301, 404, 406, 429, 503, 504),
    "guides": (406, 429, 503, 504),
    "guide": (404, 406, 429, 503, 504),
    "connections": (406, 429, 503, 504),
    "graph": (406, 429, 503, 504),
    "graph_changes": (406, 429, 503, 504),
    "exports": (404, 406, 429, 503, 504),
    "export": (404, 416, 429, 503, 504),
    "usage": (406, 429, 503, 504),
    "neighbors": (301, 404, 406, 429, 503, 504),
    "entity": (301, 404, 406, 429, 503, 504),
    "list": (404, 406, 429, 503, 504),
}
ROUTES_WITHOUT_INPUT = ("index", "healthz", "readyz", "guide", "graph", "graph_changes", "exports", "export")
FILE_TYPES = ("application/gzip", "text/csv", "text/plain", "application/json")
EXAMPLES: dict[str, dict[str, Any]] = {
    "search": {"query": "adhd"},
    "suggest": {"query": "scre"},
    "related_conditions": {"id": "low-vision"},
    "connections": {"from": "chief-executives", "to": "multiple-sclerosis"},
    "neighbors": {"type": "limitation", "id": "low-vision", "edge": "limitation_of"},
    "guide": {"id": "section-504-plan"},
    "export": {"file": "entities.csv"},
    "entity": {"type": "disability", "id": "multiple-sclerosis"},
    "list": {"type": "ability", "limit": 100},
}
LICENCE = {
    "name": "Apache-2.0 (program) and CC BY 4.0 (editors' data; each response names the terms of its sources)",
    "identifier": "Apache-2.0 AND CC-BY-4.0",
}
LINKS = {
    "explorer": "/",
    "reference": "/explore/reference",
    "openapi": "/openapi.json",
    "mcp": "/mcp",
    "llms": "/llms.txt",
}
DESCRIPTION = (
    "What helps a person with a condition at work or at school: conditions, limitations, accommodations, products and "
    "vendors, occupations and abilities, linked and sourced. Free, read-only, without a key. " + about.NOTICE
)


def route_options(route: str, model: type[BaseModel]) -> dict[str, Any]:
    """Return the keyword arguments of a route: its name, response schemas and errors."""
    responses: dict[int, Any] = {200: {"model": model, "description": "The result."}}
    if route not in ROUTES_WITHOUT_INPUT:
        description = "Invalid input, with the valid or nearest values."
        responses[422] = {"model": models.ValidationProblem, "description": description}
    return _options(route, responses)


def file_route_options(route: str) -> dict[str, Any]:
    """Return the keyword arguments of a route that sends files."""
    content = {media_type: {"schema": {"type": "string", "format": "binary"}} for media_type in FILE_TYPES}
    responses: dict[int, Any] = {
        200: {"description": "The file.", "content": content},
        206: {"description": "The requested range of the file.", "content": content},
        304: {"description": "The client already has the file."},
    }
    return _options(route, responses)


def _options(route: str, responses: dict[int, Any]) -> dict[str, Any]:
    schema = {"schema": {"$ref": f"#/components/schemas/{models.Problem.__name__}"}}
    for status in ERRORS_BY_ROUTE[route]:
        responses[status] = {"description": ERROR_DESCRIPTIONS[status], "content": {PROBLEM: schema}}
    return {"name": route, "operation_id": route, "response_model": None, "responses": responses}


def openapi_document(app: FastAPI, vocabulary: Vocabulary) -> dict[str, Any]:
    """Build the document once; FastAPI caches it in `app.openapi_schema`."""
    if app.openapi_schema:
        return app.openapi_schema
    schema = get_openapi(title=app.title, version=app.version, description=DESCRIPTION, routes=app.routes)
    schema["info"]["license"] = LICENCE
    schemas = schema["components"]["schemas"]
    schemas.setdefault("Problem", models.Problem.model_json_schema(ref_template="#/components/schemas/{model}"))
    schemas["Problem"].pop("$defs", None)
    for path in schema["paths"].values():
        for operation in path.values():
            _complete(operation, vocabulary)
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    app.openapi_schema = schema
    return schema


def _complete(operation: dict[str, Any], vocabulary: Vocabulary) -> None:
    if operation["operationId"] in ROUTES_WITHOUT_INPUT:
        operation["responses"].pop("422", None)  # FastAPI declares it wherever there is a parameter
    examples = EXAMPLES.get(operation["operationId"], {})
    for parameter in operation.get("parameters", []):
        name = parameter["name"]
        if name in examples:
            parameter["example"] = examples[name]
        if name == "type" and parameter["in"] == "path":
            parameter["schema"]["enum"] = list(vocabulary.types)
        if name == "edge":
            schema = parameter["schema"]
            items = next((option["items"] for option in schema.get("anyOf", ()) if "items" in option), schema)
            items["enum"] = list(vocabulary.edges)


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
    if "requestBody" in operation:
        reference = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"]
        body = document["components"]["schemas"][reference.rpartition("/")[2]]["examples"][0]
    description = operation["description"].partition("\n")[0]
    url = f"{example}?{urlencode(query)}" if query else example
    return {"method": method, "path": path, "description": description, "example": url, "body": body}


def render_llms_txt(index: Mapping[str, Any], base_url: str) -> str:
    """Return the index, which has provenance and notice, in the format of llmstxt.org."""
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
- [Export]({base_url}/export): files of the whole graph. {about.SCRAPING_POLICY}

## Sources

{_sources_text(index["provenance"], base_url)}

## Notice

{index["notice"]["text"]} Advice: {index["notice"]["url"]}
"""


def _sources_text(provenance: Mapping[str, Any], base_url: str) -> str:
    sources = "\n".join(
        f"- [{source['title']}]({source['url']}), {source['licence']}: {source['attribution']}"
        for source in provenance["sources"]
    )
    return f"""\
Data version {provenance["data_version"] or "unknown"}. Show the sentence of each source whose facts you show.

{sources}
- [All sources]({base_url}/export/attributions.txt): the licence and the sentence of each."""
