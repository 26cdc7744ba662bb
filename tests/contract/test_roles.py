"""The roles in `deploy/roles` allow what the program asks of the engine, and nothing else."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

import pytest

from api.settings import Settings
from indexer.release.writer_lease import CONTROL_INDEX as CONTROL
from tests.support.deployment import ROLES
from tests.support.project import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

GRAPH = (Settings().alias, f"{Settings().alias}-*")
USAGE = (f"{Settings().usage_index}-*",)

# What the engine calls each call of its client: (for the cluster, for the indices that are named).
WRITING = {"indices:data/write/index", "indices:data/write/bulk*"}
ACTIONS: dict[str, tuple[set[str], set[str]]] = {
    "analyze": (set(), {"indices:admin/analyze"}),
    "bulk": ({"indices:data/write/bulk"}, WRITING),
    "clone": (set(), {"indices:admin/resize"}),
    "close": (set(), {"indices:admin/close*"}),
    "cluster.health": ({"cluster:monitor/health"}, set()),
    "create": (set(), {"indices:admin/create"}),
    "delete": (set(), {"indices:admin/delete"}),
    "delete document": (set(), {"indices:data/write/delete", "indices:data/write/bulk*"}),
    "delete_by_query": (
        {"indices:data/read/scroll", "indices:data/read/scroll/clear", "indices:data/write/bulk"},
        {
            *("indices:data/read/search", "indices:data/write/delete/byquery"),
            *("indices:data/write/delete", "indices:data/write/bulk*"),
        },
    ),
    "exists": (set(), {"indices:admin/get"}),
    "flush": (set(), {"indices:admin/flush*"}),
    "forcemerge": (set(), {"indices:admin/forcemerge*"}),
    "get": (set(), {"indices:data/read/get"}),
    "get_alias": (set(), {"indices:admin/aliases/get"}),
    "count": (set(), {"indices:data/read/search"}),
    "get_settings": (set(), {"indices:monitor/settings/get"}),
    "nodes.stats": ({"cluster:monitor/nodes/stats"}, set()),
    "get_mapping": (set(), {"indices:admin/mappings/get"}),
    "index": (set(), WRITING),
    "info": ({"cluster:monitor/main"}, set()),
    "mget": ({"indices:data/read/mget"}, {"indices:data/read/mget*"}),
    "msearch": ({"indices:data/read/msearch"}, {"indices:data/read/search"}),
    "open": (set(), {"indices:admin/open"}),
    "put_mapping": (set(), {"indices:admin/mapping/put"}),
    "put_settings": (set(), {"indices:admin/settings/update"}),
    "recovery": (set(), {"indices:monitor/recovery"}),
    "refresh": (set(), {"indices:admin/refresh*"}),
    "scan": ({"indices:data/read/scroll", "indices:data/read/scroll/clear"}, {"indices:data/read/search"}),
    "search": (set(), {"indices:data/read/search"}),
    "snapshot.create": ({"cluster:admin/snapshot/create"}, set()),
    "snapshot.create_repository": ({"cluster:admin/repository/put"}, set()),
    "snapshot.delete": ({"cluster:admin/snapshot/delete"}, set()),
    "snapshot.get": ({"cluster:admin/snapshot/get"}, set()),
    "snapshot.get_repository": ({"cluster:admin/repository/get"}, set()),
    "snapshot.restore": ({"cluster:admin/snapshot/restore"}, set()),
    "snapshot.status": ({"cluster:admin/snapshot/status*"}, set()),
    "stats": (set(), {"indices:monitor/stats"}),
    "update_aliases": (set(), {"indices:admin/aliases"}),
}

ACTION = re.compile(r"(indices|cluster):[a-z]+/[a-z_]+(/[a-z_]+)*\*?")  # no whole families
PLACES = ("indices", "cluster", "nodes", "snapshot")
BUILDING = (
    *(f"indexer/release/{name}.py" for name in ("bulk", "publish", "releases", "verify", "writer_lease")),
    "indexer/synonyms/publish.py",
)
ASKING = ("akg/connection.py", "indexer/release/cluster_status.py")
LOOKING = {"indices:data/read/search", "indices:monitor/stats"}


def calls(path: str, *, of_control: bool) -> Iterator[str]:
    """Every call of OpenSearch in a file, as `ACTIONS` names it: of the control index, or of all others."""
    for node in ast.walk(ast.parse((ROOT / path).read_text("utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        if of_control != any(ast.unparse(word.value) == "CONTROL_INDEX" for word in node.keywords):
            continue
        words = ast.unparse(node.func).split(".")
        if words[-1] in {"scan", "streaming_bulk"} and len(words) == 1:
            yield {"scan": "scan", "streaming_bulk": "bulk"}[words[-1]]
        elif words[0] in {"self", "client", "releases"} and any(word.endswith("client") for word in words[:-1]):
            place = words[-2] if words[-2] in PLACES else ""
            if place in {"cluster", "nodes", "snapshot"}:
                yield f"{place}.{words[-1]}"
            elif words[-1] == "exists" and not place:
                yield "get"
            elif words[-1] == "delete" and not place:
                yield "delete document"
            elif (words[-1], place) != ("close", ""):
                yield words[-1]


def needed(*paths: str, of_control: bool = False) -> tuple[set[str], set[str]]:
    """The actions that these files need: for the cluster, for their indices."""
    wanted = {call for path in paths for call in calls(path, of_control=of_control)}
    assert wanted <= ACTIONS.keys()
    found = [ACTIONS[call] for call in wanted]
    return set().union(*(cluster for cluster, _ in found)), set().union(*(index for _, index in found))


def allowed(name: str) -> tuple[set[str], dict[tuple[str, ...], set[str]]]:
    role = ROLES[name]
    places = {tuple(one["index_patterns"]): set(one["allowed_actions"]) for one in role["index_permissions"]}
    return set(role["cluster_permissions"]), places


def test_the_service_may_read_and_no_more() -> None:
    cluster, graph = needed("api/engine/search_engine.py")
    assert allowed("akg-reader") == (cluster, {GRAPH: graph, USAGE: {"indices:data/read/search"}})


def test_the_writer_of_usage_may_write_usage_and_no_more() -> None:
    cluster, usage = needed("api/telemetry/usage_writer.py")
    assert allowed("akg-usage-writer") == (cluster, {USAGE: usage})


def test_the_indexer_may_write_releases_and_its_claim_and_no_more() -> None:
    cluster, graph = needed(*BUILDING)
    more, control = needed(*BUILDING, of_control=True)
    assert allowed("akg-indexer") == (cluster | more, {GRAPH: graph, (CONTROL,): control})


def test_the_operator_of_snapshots_may_do_that_beside_what_the_indexer_may() -> None:
    cluster, graph = needed("indexer/release/snapshots.py")
    indexer, places = allowed("akg-indexer")
    assert allowed("akg-snapshots") == (cluster - indexer, {GRAPH: graph - places[GRAPH]})


def test_roles_that_read_cluster_health_may_do_so() -> None:
    cluster, places = needed(*ASKING)
    assert places == LOOKING
    named = {"indices:admin/aliases/get", "indices:admin/mappings/get"}
    by_place = {GRAPH: LOOKING | named, USAGE: LOOKING, (CONTROL,): {"indices:data/read/get"}}
    assert allowed("akg-status") == (cluster, by_place)


@pytest.mark.parametrize("name", ROLES)
def test_a_role_can_be_put_as_it_is(name: str) -> None:
    assert set(ROLES[name]) == {"description", "cluster_permissions", "index_permissions"}
    for part in ROLES[name]["index_permissions"]:
        assert set(part) == {"index_patterns", "allowed_actions"}
        assert part["allowed_actions"] == sorted(set(part["allowed_actions"]))
    assert [action for action in everything(name) if not ACTION.fullmatch(action)] == []


def everything(name: str) -> set[str]:
    cluster, places = allowed(name)
    return cluster.union(*places.values())
