"""Query parameters of the REST routes: the 422 of each. No request reaches OpenSearch."""

from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import unquote

import httpx
import pytest
from jsonschema_rs import Draft202012Validator

from api.app import create_app
from api.parameters import ConnectionParameters, ListParameters, names_of
from api.settings import Settings
from tests.support.asgi_clients import client_of

BLANK = "String should have at least 1 character that is not a space"
INVALID: list[tuple[str, list[tuple[str, str, Any]]]] = [
    ("/search", [("query", "missing", None)]),
    ("/search?limit=3", [("query", "missing", None)]),  # valid parameters are not reported with a missing one
    ("/search?query=", [("query", "string_too_short", "")]),
    ("/search?query=%20", [("query", "string_too_short", " ")]),
    ("/search?query=%20&limit=0", [("query", "string_too_short", " "), ("limit", "greater_than_equal", "0")]),
    ("/search?query=a&limit=three", [("limit", "int_parsing", "three")]),
    ("/search?query=a&limit=3&limit=501", [("limit", "less_than_equal", "501")]),  # the last value counts
    ("/search?query=a&offset=99001", [("offset", "less_than_equal", "99001")]),
    ("/search?query=a&spelling=maybe", [("spelling", "literal_error", "maybe")]),
    ("/search?query=a&matching=fuzzy", [("matching", "literal_error", "fuzzy")]),
    ("/suggest?query=a&limit=51", [("limit", "less_than_equal", "51")]),
    ("/related_conditions/adhd?limit=0", [("limit", "greater_than_equal", "0")]),
    ("/connections?start=a&end=b", [("from", "missing", None), ("to", "missing", None)]),
    ("/usage?days=401", [("days", "less_than_equal", "401")]),
    ("/disability/adhd/neighbors", [("edge", "missing", None)]),
    ("/disability?kind=x&limit=101", [("limit", "less_than_equal", "101"), ("kind", "literal_error", "x")]),
]
PAGES = [  # the integer parameters of the explorer
    ("/explore/search", "offset"),
    ("/explore/disability", "offset"),
    ("/explore/disability/adhd/recommends", "offset"),
    ("/explore/usage", "days"),
]


@pytest.fixture(scope="module")
async def client(document: dict[str, Any]) -> AsyncIterator[httpx.AsyncClient]:
    """The service without OpenSearch. Every 422 is compared with the published schema."""
    reference = {"$ref": "#/components/schemas/ValidationProblem", "components": document["components"]}
    schema = Draft202012Validator(reference)

    async def check(response: httpx.Response) -> None:
        if response.status_code == 422:
            await response.aread()
            schema.validate(response.json())

    async with client_of(create_app(Settings(rate_limit=0))) as opened:
        opened.event_hooks = {"response": [check]}
        yield opened


@pytest.fixture(scope="module")
def integers(document: dict[str, Any]) -> list[tuple[str, str]]:
    """Every path with each of its integer query parameters."""
    found = [
        (path.format(type="disability", id="adhd"), parameter["name"])
        for path, methods in document["paths"].items()
        for operation in methods.values()
        for parameter in operation.get("parameters", ())
        if parameter["schema"].get("type") == "integer"
    ]
    return [*found, *PAGES]


@pytest.mark.parametrize(("path", "problems"), INVALID)
async def test_a_422_names_every_invalid_parameter(
    client: httpx.AsyncClient, path: str, problems: list[tuple[str, str, Any]]
) -> None:
    response = await client.get(path)
    assert response.status_code == 422
    details = [(detail["loc"], detail["type"], detail.get("input")) for detail in response.json()["detail"]]
    assert details == [(["query", name], kind, value) for name, kind, value in problems]


INVALID_VALUES = {
    "integer": "x",
    "number": "x",
    "boolean": "x",
    "array": "dragon",
    "string": "",
}  # by type of the schema


async def test_a_422_names_every_problem_of_a_request(client: httpx.AsyncClient, document: dict[str, Any]) -> None:
    """Of edges only a blank one: which are valid depends on the entity."""
    for path, methods in document["paths"].items():
        parameters = methods.get("get", {}).get("parameters", ())
        values = {parameter["name"]: _invalid(parameter["schema"]) for parameter in parameters} | {"edge": ""}
        query = {parameter["name"]: values[parameter["name"]] for parameter in parameters if parameter["in"] == "query"}
        expected = {("query", name) for name in query} | ({("path", "type")} if "type" in values else set())
        if query:
            response = await client.get(path.format(**{**values, "id": "adhd"}), params=query)
            assert {tuple(problem["loc"][:2]) for problem in response.json()["detail"]} == expected, path


def _invalid(schema: dict[str, Any]) -> str:
    options = [schema, *(option for option in schema.get("anyOf", ()) if option["type"] != "null")]
    if any("enum" in option for option in options):
        return "dragon"
    kind = options[-1]["type"]
    if kind == "array" and "enum" not in options[-1]["items"]:
        return "" if "minLength" in options[-1]["items"] else ","
    return INVALID_VALUES[kind]


async def test_a_422_of_a_body_names_every_problem(client: httpx.AsyncClient, document: dict[str, Any]) -> None:
    values: list[object] = [True, 1.5, [], {}]
    for value in values:
        body = dict.fromkeys(document["components"]["schemas"]["RecommendRequest"]["properties"], value)
        response = await client.post("/recommend", json=body)
        assert {problem["loc"][1] for problem in response.json()["detail"]} == set(body)
        assert all(problem["input"] == value for problem in response.json()["detail"])


@pytest.mark.parametrize("body", [{}, {"limit": 5}, {"disability": None}, {"disability": " ", "limitation": ""}])
async def test_without_a_seed_the_422_shows_the_known_fields(client: httpx.AsyncClient, body: dict[str, Any]) -> None:
    (problem,) = (await client.post("/recommend", json={**body, "limitations": "x"})).json()["detail"]
    assert (problem["loc"], problem["type"], problem["input"]) == (["body"], "no_seed", body)


@pytest.mark.parametrize("body", [{"disability": ["ms"] * 11}, {"limit": 0}])
async def test_a_422_has_no_values_of_unknown_fields(client: httpx.AsyncClient, body: dict[str, Any]) -> None:
    response = await client.post("/recommend", json={**body, "diagnosis": "what is private"})
    assert (response.status_code, "private" in response.text) == (422, False)


@pytest.mark.parametrize("control", ["%00", "%09", "%0A", "%0D", "%1B", "%7F", "%C2%85"])
async def test_a_control_character_in_a_query_string_is_a_422_of_its_parameter(
    client: httpx.AsyncClient, document: dict[str, Any], control: str
) -> None:
    for path, methods in document["paths"].items():
        for parameter in methods.get("get", {}).get("parameters", ()):
            if parameter["in"] == "query":
                url = f"{path.format(type='disability', id='adhd', file='x')}?{parameter['name']}=a{control}"
                response = await client.get(url)
                (problem,) = response.json()["detail"]
                assert (response.status_code, problem["type"]) == (422, "control_character"), url
                assert problem["loc"] == ["query", parameter["name"]]
                assert problem["ctx"]["character"] == f"U+{ord(unquote(control)):04X}"
    for url in (f"/explore/search?query=a{control}", f"/search?query=a&a{control}=b", f"/disability/adhd?x={control}"):
        assert (await client.get(url)).status_code == 422


@pytest.mark.parametrize("path", ["/disability/adhd", "/guides/x", "/export/x", "/explore/disability/adhd", "/dragon"])
async def test_a_control_character_in_a_path_is_a_404(client: httpx.AsyncClient, path: str) -> None:
    for control in ("%00", "%09", "%0A", "%0D", "%1B", "%7F", "%C2%85"):
        assert (await client.get(f"{path}{control}")).status_code == 404


@pytest.mark.parametrize("control", ["\x00", "\x1b", "\x7f", "\x85"])
async def test_a_control_character_in_a_body_is_a_422_of_its_field(client: httpx.AsyncClient, control: str) -> None:
    for field in ("question", "disability", "limitation", "work_function", "occupation", "exclude"):
        problems = (await client.post("/recommend", json={field: f"a{control}"})).json()["detail"]
        first = problems[0]
        assert (first["loc"][:2], first["type"]) == (["body", field], "control_character")
        assert f"U+{ord(control):04X}" in first["msg"]


async def test_pasted_text_in_a_body_may_have_tabs_and_line_breaks(client: httpx.AsyncClient) -> None:
    problems = (await client.post("/recommend", json={"question": "a\tb\r\nc", "limit": 0})).json()["detail"]
    assert [problem["loc"] for problem in problems] == [["body", "limit"]]


@pytest.mark.parametrize(
    "content", [b"[" * 10_000 + b"]" * 10_000, b'{"x":' * 10_000, b'{"disability": ' + b"[" * 900 + b"]" * 900 + b"}"]
)
async def test_deeply_nested_json_is_a_422(client: httpx.AsyncClient, content: bytes) -> None:
    for path in ("/recommend", "/mcp"):
        response = await client.post(path, content=content, headers={"content-type": "application/json"})
        (problem,) = response.json()["detail"]
        assert (response.status_code, problem["loc"], problem["type"]) == (422, ["body"], "json_too_deep")


async def test_json_in_another_encoding_is_a_422(client: httpx.AsyncClient) -> None:
    for encoding in ("utf-16", "utf-32"):
        content = '{"limit": 0}'.encode(encoding)
        response = await client.post("/recommend", content=content, headers={"content-type": "application/json"})
        assert (response.status_code, response.json()["detail"][0]["type"]) == (422, "json_invalid")


@pytest.mark.parametrize("name", ["limit", "offset"])
async def test_a_number_with_hundreds_of_digits_is_a_422(client: httpx.AsyncClient, name: str) -> None:
    response = await client.get(f"/disability?{name}={'0' * 500}5")
    assert [problem["type"] for problem in response.json()["detail"]] == ["int_parsing"]
    neighbors = await client.get(f"/disability/adhd/neighbors?edge=affects&min_weight=0.{'5' * 500}")
    assert [problem["type"] for problem in neighbors.json()["detail"]] == ["float_parsing"]


async def test_a_page_takes_as_many_seeds_as_the_api(client: httpx.AsyncClient) -> None:
    for query, kind in (("disability=a&limitation=b&" * 6, "too_many_seeds"), ("exclude=a&" * 51, "too_long")):
        response = await client.get(f"/explore/recommend?{query}")
        assert [problem["type"] for problem in response.json()["detail"]] == [kind]


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[1]", b"null", b'"x"', b"\xff\xfe", b'{"disability": "\\ud800"}', b"NaN"]
)
async def test_a_body_that_is_no_object_is_a_422(client: httpx.AsyncClient, content: bytes) -> None:
    response = await client.post("/recommend", content=content, headers={"content-type": "application/json"})
    assert response.status_code == 422


@pytest.mark.parametrize(
    ("path", "members"),
    [
        ("/suggest?query=%20", {"msg": BLANK, "ctx": {"min_length": 1}}),  # like an empty one
        ("/search?query=a&scope=product&scope=x", {"loc": ["query", "scope", 1]}),
        (f"/suggest?query={'a' * 501}", {"type": "string_too_long", "ctx": {"max_length": 500}}),
    ],
)
async def test_a_422_has_the_bound_and_the_position(
    client: httpx.AsyncClient, path: str, members: dict[str, Any]
) -> None:
    (problem,) = (await client.get(path)).json()["detail"]
    assert members.items() <= problem.items()


NOT_DIGITS = ("true", "1_0", "1.0", "1e1", " 5", "5 ", "+5", "--5", "0x5", "\uff15", "", "five")


@pytest.mark.parametrize(
    ("text", "kind"), [*((text, "int_parsing") for text in NOT_DIGITS), ("-5", "greater_than_equal")]
)
async def test_only_digits_are_an_integer_and_a_negative_one_is_below_the_bound(
    client: httpx.AsyncClient, integers: list[tuple[str, str]], text: str, kind: str
) -> None:
    assert len(integers) > len(PAGES)
    for path, name in integers:
        response = await client.get(path, params={name: text})
        problems = [problem for problem in response.json()["detail"] if problem["loc"] == ["query", name]]
        assert [(problem["type"], problem["input"]) for problem in problems] == [(kind, text)], path
        assert ("digits only" in problems[0]["msg"]) == (kind == "int_parsing")


@pytest.mark.parametrize("value", [True, False, "5", " 5", "1_0", 1.0, 5.5, [5], {"a": 5}], ids=repr)
async def test_only_a_json_integer_is_an_integer_in_a_body(client: httpx.AsyncClient, value: object) -> None:
    response = await client.post("/recommend", json={"disability": "adhd", "limit": value})
    (problem,) = response.json()["detail"]
    assert (problem["loc"], problem["type"], problem["input"]) == (["body", "limit"], "int_type", value)
    assert "without quotes" in problem["msg"]


def test_names_are_those_of_the_query_string() -> None:
    assert names_of(ConnectionParameters) == ("from", "to", "limit")
    filters = ("setting", "grouping", "kind", "linked_to", "edge", "inherited")
    assert names_of(ListParameters) == ("limit", "offset", "ids", *filters)
