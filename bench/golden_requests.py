"""The requests that `bench.golden` records: a list for the small world, and one for the shipped graph.

A plain string is a GET. Queries and ids of the shipped graph are a fixed sample of its tables.
"""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote_plus

JSON_BODY = {"content-type": "application/json"}
MCP = {**JSON_BODY, "accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18"}
PAGE = {"accept": "text/html"}


class Call(NamedTuple):
    """One request."""

    path: str
    method: str = "GET"
    body: str = ""
    headers: Mapping[str, str] = {}

    @property
    def label(self) -> str:
        page = "page " if self.headers == PAGE else ""
        more = f" {dict(self.headers)}" if self.headers not in ({}, PAGE, MCP, JSON_BODY) else ""
        return f"{page}{self.method} {self.path[:200]} {self.body[:300]}".rstrip() + more


def get(path: str, **parameters: str) -> Call:
    joined = "&".join(f"{name}={quote_plus(value)}" for name, value in parameters.items())
    return Call(f"{path}?{joined}" if joined else path)


def recommend(**body: Any) -> Call:  # noqa: ANN401 - invalid values are sent too
    return Call("/recommend", "POST", json.dumps(body), JSON_BODY)


def mcp(method: str, **params: Any) -> Call:  # noqa: ANN401 - JSON
    return Call("/mcp", "POST", json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}), MCP)


def tool(name: str, **arguments: Any) -> Call:  # noqa: ANN401 - invalid values are sent too
    return mcp("tools/call", name=name, arguments=arguments)


CONDITIONS = ("multiple-sclerosis", "attention-deficit-hyperactivity-disorder", "low-vision")

GETS = """
/ /llms.txt /openapi.json /healthz /readyz /graph /graph/changes /export /usage /explore /docs /nowhere /nowhere/at/all
/dragon/x /healthz/ /favicon.ico /robots.txt /disability /disability?limit=2&offset=2 /disability?kind=narrower&limit=3
/disability?kind=main&limit=2 /disability?kind=broad /disability?grouping=other-health-impairment /limitation?limit=3
/disability?grouping=nope /disability?limit=101 /disability?offset=-1 /disability?offset=1000000000000 /product?limit=3
/solution?setting=testing /solution?setting=moon /vendor?setting=school /workrelatedfunction /vendor /occupation?limit=3
/ability?ids=1,1,1.A.1.d.1 /disability?ids=low-vision,nope,disability:multiple-sclerosis&limit=3 /ability /solution?ids=
/solution?ids=working-from-home /disability/nope /disability/a%2Fb /disability/%25%20.%00 /disability/low-vison
/disability/low-vision/neighbors /disability/low-vision/neighbors?edge=sells /disability/nope/neighbors?edge=affects
/solution/working-from-home /solution/working-from-home/neighbors?edge=recommended_for&limit=3 /export/nope.csv
/related_conditions/nope /related_conditions/low-vision?limit=51 /related_conditions/add /usage?days=0 /usage?day=1
/search /search?query= /search?query=%20 /search?query=a&limit=0 /search?query=a&limit=501 /search?query=a&limit=x
/search?query=a&offset=99001 /search?query=a&scope=dragon /search?query=a&synonyms=maybe /search?query=%3Cscript%3E
/search?query=telework&limt=3&sope=x /search?query=low+vision&scope=limitation&scope=solution&limit=1&offset=1
/suggest /suggest?query=%20 /suggest?query=a&limit=51 /suggest?query=low&scope=solution /recommend
/export/entities.ndjson.gz /connections?from=low-vision /connections?from=qqqq&to=telework
/connections?from=ms&to=adhd&limit=21
"""
PAGES = """
/ /nowhere/at/all /disability/low-vison /search?query=%3Cscript%3E /explore/nothing /explore/static/nope.js
/explore/search /explore/search?query=adhd /explore/search?query=telwork /explore/search?query=zzzzqqqq
/explore/search?query=telwork&spelling=off /explore/search?query=low&scope=solution&offset=5&setting=work
/explore/search?query=a&offset=-1 /explore/search?query=%3Cscript%3E%22 /explore/release /explore/reference
/explore/usage /explore/usage?days=7 /explore/disability /explore/disability?offset=2&kind=main /explore/limitation
/explore/disability?grouping=other-health-impairment /explore/workrelatedfunction /explore/solution?setting=school
/explore/product /explore/vendor /explore/occupation /explore/ability /explore/disability/low-vision
/explore/disability/low-vison /explore/disability/add /explore/disability/low-vision/graph
/explore/disability/low-vision/nope /explore/solution/telework/recommended_for /explore/occupation/15-1252.00
/explore/recommend /explore/recommend?disability=MS /explore/recommend?disability=multipel
/explore/recommend.json?disability=MS /explore/recommend?limitation=low+vision&occupation=15-1252.00&setting=work
/explore/connections /explore/connections?from=ADHD&to=telework /explore/connections?from=qqqq&to=low-vision
/explore/compare /explore/compare?first=MS&second=low+vision /explore/compare?first=qqqq&second=low-vision
/explore/compare?first=add&second=multiple-sclerosis
"""
QUERIES = """adhd|ADHD|low vision|MS|telwork|flexibel shedule|zzzzqqqq|asdfghjkl|trouble remembering
solutions for low vision|vendors of magnifiers|conditions with fatigue|software for blind people|"low vision"
what helps with memory loss at work|disability:low-vision|low-vision|15-1252.00|15-1252|working-from-home|Crohn’s
guillain barre|headphones to cancel noise|tts|pupils who tire easily|'; DROP TABLE x;--|\U0001f9d1\u200d\U0001f9bd
עיוור|a|the of and|C++|can’t sit for long|colour blind|software devlopers|low vision telework|vendors of vendors"""
SUGGESTED = ["l", "low", "low vi", "scre", "telw", "multiple scl", "adhd", "noise can", "zzzz", "soft dev", "ms", "%"]
SEARCH_OPTIONS = [
    *({"scope": kind} for kind in ("disability", "limitation", "solution", "product", "occupation")),
    *({"setting": name} for name in ("work", "school", "testing")),
    *({"offset": start} for start in ("2", "50", "99000")),
]
REJECTED = [
    *((body, JSON_BODY) for body in ("", "{", "[1]", "null", '"text"', '{"disability": "\\ud800"}', " " * 70_000)),
    *(("{}", {"content-type": "application/xml"}), ("", {}), ('{"disability": "MS"}', {"content-type": "text/plain"})),
]
UNUSUAL = [
    *(Call(path, method) for path in ("/search?query=a", "/disability/low-vision") for method in ("POST", "DELETE")),
    *(Call("/recommend", method) for method in ("PUT", "HEAD", "OPTIONS", "GET")),
    *(Call(path, "HEAD") for path in ("/disability", "/disability/nope", "/search?query=adhd", "/export/sources.csv")),
    Call("/disability", headers={"accept": "application/xml"}),
    *(Call("/search?query=adhd", headers={name: "*"}) for name in ("if-none-match", "accept")),
    Call("/recommend", "OPTIONS", headers={"origin": "https://a.example", "access-control-request-method": "POST"}),
    Call("/search?query=adhd", headers={"origin": "https://a.example"}),
    Call("/search?query=adhd", headers={"accept-encoding": "gzip"}),
    *(Call("/export/sources.csv", headers=more) for more in ({}, {"range": "bytes=0-99"}, {"range": "bytes=9999999-"})),
    *(Call("/export/groupings.csv", headers={"accept-encoding": name}) for name in ("gzip", "identity")),
    *(Call(f"/explore/static/{name}") for name in ("mark.svg", "explorer.css")),
]
RECOMMENDED: list[dict[str, Any]] = [
    *({"disability": name, "limit": 5} for name in (*CONDITIONS, "ADHD", "MS", "add", "multiple sclrosis")),
    *({"disability": "ADHD", "setting": name} for name in ("work", "school", "testing", "moon")),
    *({"limitation": name, "limit": 4} for name in ("low vision", "limitation:memory-loss", "blind", "tires easily")),
    *({"work_function": name, "limit": 4} for name in ("commute", "communicate")),
    *({"occupation": name} for name in ("software-developers", "15-1252.00", "nothing")),
    {"disability": "multiple-sclerosis", "limitation": "memory-loss", "limit": 6},
    {"disability": "multiple-sclerosis", "occupation": "15-1252.00", "limit": 6},
    {"limitation": "memory-loss", "occupation": "43-4051.00", "work_function": "commute", "limit": 6},
    {"disability": "MS", "limitation": "low vision", "occupation": "software developers", "setting": "work"},
    *({}, {"disability": "  "}, {"disability": 7}, {"disability": "ms", "limit": 0}, {"limitaton": "blind"}),
    *({"disability": "limitation:low-vision"}, {"disability": None, "limitation": "low vision", "colour": "red"}),
]
CONNECTION_PAIRS = [
    *(("ADHD", "telework"), ("low vision", "multiple sclerosis"), ("software-developers", "multiple-sclerosis")),
    *(("disability:low-vision", "limitation:low-vision"), ("MS", "MS"), ("memory loss", "nothing at all")),
]
TOOLS = [
    *(tool("search_accommodations", query=query) for query in ("adhd", "telwork", "zzzzqqqq", "low vision software")),
    tool("search_accommodations", query="low vision", scope=["solution", "disability"], limit=2, offset=1),
    tool("search_accommodations", query="seat", scope="solution,product", setting="school", synonyms="off"),
    *(tool("get_entity", id=f"disability:{name}") for name in (*CONDITIONS, "add", "low-vison")),
    *(tool("get_entity", id="low-vision", **more) for more in ({}, {"type": "limitation", "detail": "full"})),
    tool("get_related", id="limitation:low-vision", edge="limitation_of", limit=2),
    tool("get_related", id="low-vision", type="limitation", edge="broader"),
    tool("get_related", id="limitation:low-vision", edge="recommend"),
    tool("related_conditions", id="disability:multiple-sclerosis", limit=3),
    tool("related_conditions", id="multiple-sclerosis", other="disability:low-vision"),
    tool("related_conditions", id="limitation:low-vision"),
    *(tool("recommend_accommodations", **body) for body in RECOMMENDED[:2] + RECOMMENDED[-7:-3] + RECOMMENDED[13:16]),
    *(tool("connections", **{"from": start, "to": end}, limit=2) for start, end in CONNECTION_PAIRS[:3]),
    *(tool("list_entities", type=kind, limit=2) for kind in ("solution", "dragon", "ability")),
    tool("list_entities", type="disability", kind="narrower", setting="school", limit=2),
    *(tool("describe_graph"), tool("describe_graph", all=True), tool("no_such_tool"), tool("search_accommodations")),
    *(tool("search", query="low vision"), tool("fetch", id="solution:telework"), tool("fetch", id="solution:nope")),
    tool("search_accommodations", query="a", limt=1, scope=["dragon"], limit="many"),
]
PROMPT = {"type": "ref/prompt", "name": "plan_accommodations"}
PROTOCOL = [
    *(mcp(f"{name}/list") for name in ("tools", "resources", "prompts", "resources/templates")),
    mcp("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "golden", "version": "1"}),
    *(mcp("resources/read", uri=f"akg://{name}") for name in ("graph", "about", "entity/solution/telework", "nope")),
    *(mcp("prompts/get", name=name, arguments={"need": "low vision"}) for name in ("plan_accommodations", "nope")),
    mcp("prompts/get", name="explain_connection", arguments={"first": "MS"}),
    mcp("completion/complete", ref=PROMPT, argument={"name": "need", "value": "low v"}),
    *(mcp("ping"), mcp("no/method"), Call("/mcp", "POST", "{", MCP), Call("/mcp", "GET"), Call("/mcp", "DELETE")),
    Call("/mcp", "POST", "{}", {**MCP, "host": "elsewhere.example"}),
]
TABLES = {  # type → table, key column, edges
    "disability": ("disabilities", "slug", "has_limitation affects recommends broader narrower"),
    "limitation": ("limitations", "slug", "limitation_of recommends limits broader narrower"),
    "workrelatedfunction": ("workrelatedfunctions", "slug", "affected_by recommends"),
    "solution": ("solutions", "slug", "recommended_for implemented_by"),
    "product": ("products", "slug", "implements sold_by"),
    "vendor": ("vendors", "slug", "sells"),
    "occupation": ("occupations", "code", "requires related_occupation related_occupation_of broader narrower"),
    "ability": ("abilities", "code", "required_by limited_by"),
    "narrower": ("narrower_conditions", "slug", "has_limitation affects recommends broader narrower"),
}


def calls(tables: Path, judgments: Path) -> list[Call]:
    """Return the requests for a service over these tables; some queries are from the search judgments."""
    simple = [Call(path) for path in GETS.split()]
    listed = QUERIES.replace("\n", "|").split("|")
    queries = dict.fromkeys([*listed, *_query_variants(tables), *_sample(_rows(judgments, "\t"), 30, "query")])
    searches = [get("/search", query=query, limit="5") for query in queries]
    searches += [get("/search", query=query, limit="3", synonyms="off", spelling="off") for query in listed[:12]]
    searches += [get("/search", query="low vision", limit="2", **more) for more in SEARCH_OPTIONS]
    suggested = [get("/suggest", query=query, limit="4") for query in SUGGESTED]
    posts = [*(recommend(**body) for body in RECOMMENDED), *(Call("/recommend", "POST", *one) for one in REJECTED)]
    connections = [get("/connections", **{"from": start, "to": end}, limit="3") for start, end in CONNECTION_PAIRS]
    pages = [Call(path, headers=PAGE) for path in PAGES.split()]
    return [
        *simple,
        *searches,
        *suggested,
        *posts,
        *connections,
        *UNUSUAL,
        *_entities(tables),
        *TOOLS,
        *PROTOCOL,
        *pages,
    ]


def _entities(tables: Path) -> Iterator[Call]:
    """Records, neighbors, related conditions and pages of some entities of each type."""
    for kind, (table, column, edges) in TABLES.items():
        path = "disability" if kind == "narrower" else kind
        for key in _sample(_rows(tables / f"{table}.csv"), 4, column):
            yield get(f"/{path}/{key}")
            yield Call(f"/explore/{path}/{key}", headers=PAGE)
            if path == "disability":
                yield get(f"/related_conditions/{key}", limit="3")
                yield recommend(disability=key, limit=4)
        for key in _sample(_rows(tables / f"{table}.csv"), 2, column):
            yield from (get(f"/{path}/{key}/neighbors", edge=edge, limit="3", offset="1") for edge in edges.split())


def _query_variants(tables: Path) -> Iterator[str]:
    """Yield variants of names: aliases, names with two swapped letters, names with a type hint."""
    yield from _sample(_rows(tables / "aliases.csv"), 15, "text")
    yield from _sample(_rows(tables / "condition_names.csv"), 6, "text")
    for name in _sample(_rows(tables / "solutions.csv"), 8, "name"):
        yield f"{name[:2]}{name[3:4]}{name[2:3]}{name[4:]}"
        yield f"products for {name.lower()}"
    yield from (f"conditions with {name.lower()}" for name in _sample(_rows(tables / "limitations.csv"), 4, "name"))


def _rows(table: Path, delimiter: str = ",") -> list[dict[str, str]]:
    with table.open(newline="", encoding="utf-8") as file:
        lines = (line for line in file if not line.startswith("#"))
        return list(csv.DictReader(lines, delimiter=delimiter))


def _sample(rows: Sequence[Mapping[str, str]], count: int, column: str) -> list[str]:
    """Return a column of up to `count` rows, evenly spread."""
    return [row[column] for row in rows[:: max(len(rows) // count, 1)][:count]]
