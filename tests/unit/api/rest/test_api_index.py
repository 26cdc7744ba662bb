"""The index of the API and `llms.txt`, from an OpenAPI document."""

from __future__ import annotations

from api.rest.api_index import build_index, render_llms_txt


def test_the_index_lists_each_call_with_a_working_example() -> None:
    parameters = [
        {"name": "type", "in": "path", "required": True, "example": "ability"},
        {"name": "limit", "in": "query", "required": False, "example": 100},
        {"name": "edge", "in": "query", "required": True, "example": "a b"},
    ]
    operation = {"description": "List them.\nMore.", "parameters": parameters}
    document = {"info": {"description": "What helps."}, "paths": {"/": {"get": {}}, "/{type}": {"get": operation}}}
    body = build_index(document)
    assert body["calls"] == [
        {"method": "GET", "path": "/{type}", "description": "List them.", "example": "/ability?edge=a+b", "body": None}
    ]
    text = render_llms_txt(body, "https://example.org", {"text": "No advice.", "url": "https://askjan.org/"})
    assert text.startswith("# Accommodation Knowledge Graph\n\n> What helps.\n")
    assert "- [`GET /{type}`](https://example.org/ability?edge=a+b): List them." in text
