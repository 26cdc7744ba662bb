"""A hostile request of 60 kB gets at most 4 kB more than a plain one."""

from typing import Any

import httpx
import pytest

from schema.json_types import JsonObject

MORE_BYTES = 4_000
LONG = "x" * 60_000
NAMES = [f"unknown{number:04}{'y' * 40}" for number in range(1_100)]
UNKNOWN = "&".join(f"{name}=1" for name in NAMES)
EMOJI = "\U0001f600" * 20


def size(response: httpx.Response) -> int:
    return len(response.content) + sum(len(name) + len(value) for name, value in response.headers.raw)


GETS = (
    *("/?", "/healthz?", "/readyz?", "/search?query=adhd", "/suggest?query=adh", "/guides?", "/graph?", "/usage?"),
    *("/related_conditions/crohns-disease?", "/connections?from=adhd&to=low-vision", "/graph/changes?", "/export?"),
    *("/disability?", "/disability/crohns-disease?", "/disability/crohns-disease/neighbors?edge=has_limitation"),
    *("/disability?ids=crohns-disease", "/openapi.json?", "/llms.txt?", "/solution/working-from-home?"),
    *("/explore/search?query=adhd", "/explore/disability?", "/explore/disability/crohns-disease?", "/explore/usage?"),
    *("/explore/recommend?disability=adhd", "/explore/recommend.json?disability=adhd", "/explore/compare?first=adhd"),
    "/explore/connections?from=adhd&to=low-vision",
)


@pytest.mark.parametrize("path", GETS)
async def test_unknown_parameters(service: httpx.AsyncClient, path: str) -> None:
    accept = {"accept": "text/html" if path.startswith("/explore/") else "*/*"}
    plain = size(await service.get(path, headers=accept))
    for query in (UNKNOWN, f"{LONG}=1", f"a={LONG}"):
        response = await service.get(f"{path}&{query}", headers=accept)
        assert response.status_code < 500
        assert size(response) - plain < MORE_BYTES
        assert response.text.count("unknown parameter") <= 6


async def test_a_long_value_of_every_parameter(service: httpx.AsyncClient, document: dict[str, Any]) -> None:
    required = {"query": "adhd", "edge": "has_limitation", "from": "adhd", "to": "low-vision"}
    for path, methods in document["paths"].items():
        parameters = methods.get("get", {}).get("parameters", ())
        url = path.format(type="disability", id="crohns-disease", file="x")
        plain = {one["name"]: required[one["name"]] for one in parameters if one["name"] in required}
        expected = size(await service.get(url, params=plain))
        for parameter in parameters:
            name = parameter["name"]
            if parameter["in"] == "path":
                response = await service.get(path.format(**{**dict.fromkeys(("type", "id", "file"), "x"), name: LONG}))
                assert response.status_code in {404, 414, 422}
                assert len(response.content) < MORE_BYTES
                continue
            for values in (
                [LONG],
                [f"0.{'5' * 60_000}"],
                [f"x{number}" for number in range(3_000)],
                ["product"] * 3_000,
            ):
                response = await service.get(url, params={**plain, name: values})
                assert response.status_code < 500, (path, name)
                assert size(response) - expected < MORE_BYTES, (path, name)


ONE: JsonObject = {"disability": "adhd", "limit": 1}
# hostile body, and the plain one
BODIES: dict[str, tuple[object, object]] = {
    "unknown fields": ({**ONE, **dict.fromkeys(NAMES, 1)}, ONE),
    "long characters": ({**ONE, **{f"{number}{EMOJI}": 1 for number in range(600)}}, ONE),
    "an unknown field's value": ({**ONE, "unknown": LONG}, ONE),
    "a long name": ({**ONE, LONG: 1}, ONE),
    "no seed": (dict.fromkeys(NAMES, 1), {}),
    "invalid items": ({"disability": list(range(8_000))}, {"disability": 7}),
    "too many seeds": ({"disability": NAMES}, {"disability": 7}),
    "long seeds": ({"disability": [f"{number}{'z' * 5_900}" for number in range(10)]}, {"disability": "nothing"}),
    "padding": ({**ONE, "disability": f"adhd{' ' * 59_000}x"}, ONE),
    "exclude": ({**ONE, "exclude": [f"{number}{'z' * 1_000}" for number in range(50)]}, {**ONE, "exclude": "z"}),
    "question": ({"question": LONG}, {"question": 7}),
    "setting": ({**ONE, "setting": LONG}, ONE),
    "limit": ({**ONE, "limit": LONG}, ONE),
    "an array": ([LONG], [1]),
}


@pytest.mark.parametrize(("hostile", "plain"), BODIES.values(), ids=BODIES)
async def test_bodies(service: httpx.AsyncClient, hostile: object, plain: object) -> None:
    response = await service.post("/recommend", json=hostile)
    assert response.status_code < 500
    assert size(response) - size(await service.post("/recommend", json=plain)) < MORE_BYTES
    assert response.text.count("unknown field") <= 6


CALLS: dict[str, tuple[str, JsonObject]] = {
    "unknown arguments": ("search_accommodations", {"query": "adhd", **dict.fromkeys(NAMES, 1)}),
    "query": ("search_accommodations", {"query": LONG}),
    "scope": ("search_accommodations", {"query": "adhd", "scope": NAMES}),
    "repeated scope": ("search_accommodations", {"query": "zzzz", "scope": ["product"] * 4_000}),
    "id": ("get_entity", {"id": LONG}),
    "offset": ("list_entities", {"type": "vendor", "limit": 1, "offset": 10**4_000}),
    "seeds": ("recommend_accommodations", {"disability": [f"{number}{'z' * 5_900}" for number in range(10)]}),
    "seed types": ("recommend_accommodations", {"disability": [1] * 9_000}),
    "ends": ("connections", {"from": LONG, "to": "adhd"}),
}


@pytest.mark.parametrize(("tool", "arguments"), CALLS.values(), ids=CALLS)
async def test_arguments_of_tools(service: httpx.AsyncClient, tool: str, arguments: JsonObject) -> None:
    assert await mcp_size(service, "tools/call", name=tool, arguments=arguments) < 2 * MORE_BYTES


@pytest.mark.parametrize(
    ("method", "params"),
    [
        (LONG, {}),
        ("tools/call", {"name": LONG}),
        ("resources/read", {"uri": f"akg://{LONG}"}),
        ("resources/read", {"uri": f"akg://entity/disability/{LONG}"}),
        ("resources/read", {"uri": f"akg://guides/{LONG}"}),
        ("prompts/get", {"name": LONG}),
        ("prompts/get", {"name": "explain_connection", "arguments": {"from": LONG, "to": "adhd"}}),
    ],
    ids=lambda value: str(value)[:40],
)
async def test_other_requests_of_mcp(service: httpx.AsyncClient, method: str, params: JsonObject) -> None:
    assert await mcp_size(service, method, **params) < MORE_BYTES


async def mcp_size(service: httpx.AsyncClient, method: str, **params: object) -> int:
    call = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    response = await service.post("/mcp", json=call, headers={"mcp-protocol-version": "2025-06-18"})
    assert response.status_code < 500
    return size(response)
