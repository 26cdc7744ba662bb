"""The roles in `deploy/roles` allow exactly the requests that the program sends to OpenSearch."""

import ast
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase

import pytest

from api.settings import Settings
from indexer.release.control_index import CONTROL_INDEX as CONTROL
from indexer.release.query_logs import INSIGHTS_INDICES
from indexer.release.releases import staging_prefix
from schema.release_names import FORMAT_VERSION, index_alias
from tests.support.deployment import ROLES
from tests.support.project import ROOT

GRAPH = (Settings().alias, f"{Settings().alias}-*")
USAGE = (f"{Settings().usage_index}-*",)

# Actions by method of the OpenSearch client: (of the cluster, of the indices in the request).
WRITING = {"indices:data/write/index", "indices:data/write/bulk*"}
ACTIONS: dict[str, tuple[set[str], set[str]]] = {
    "analyze": (set(), {"indices:admin/analyze"}),
    "bulk": ({"indices:data/write/bulk"}, WRITING),
    "clone": (set(), {"indices:admin/resize"}),
    "close": (set(), {"indices:admin/close*"}),
    "cluster.get_settings": ({"cluster:monitor/state"}, set()),
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
    "get_audit_configuration": (set(), set()),  # only for administrators of the security plugin
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
    "update_aliases": (set(), {"indices:admin/aliases", "indices:admin/delete"}),  # it deletes releases, too
}

ACTION = re.compile(r"(indices|cluster):[a-z]+/[a-z_]+(/[a-z_]+)*\*?")  # no wildcard for a family of actions
NAMESPACES = ("indices", "cluster", "nodes", "snapshot")
INDEXER_FILES = (
    *(
        f"indexer/release/{name}.py"
        for name in ("bulk", "control_index", "live_alias", "publish", "releases", "stored_releases", "verify")
    ),
    "indexer/synonyms/publish.py",
)
SNAPSHOT_FILES = tuple(f"indexer/snapshots/{name}.py" for name in ("repository", "restore", "snapshots"))
STATUS_FILES = ("akg/connection.py", "indexer/release/cluster_status.py", "indexer/release/query_logs.py")
SETTINGS = {"indices:monitor/settings/get"}
STATUS_ACTIONS = {"indices:data/read/search", "indices:monitor/stats"}


def calls(path: str, *, of_control: bool) -> Iterator[str]:
    """Yield every call of OpenSearch in a file by its key in `ACTIONS`: on the control index, or on other indices."""
    for node in ast.walk(ast.parse((ROOT / path).read_text("utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        if of_control != any(ast.unparse(word.value) == "CONTROL_INDEX" for word in node.keywords):
            continue
        words = ast.unparse(node.func).split(".")
        if words[-1] in {"scan", "streaming_bulk"} and len(words) == 1:
            yield {"scan": "scan", "streaming_bulk": "bulk"}[words[-1]]
        elif words[0] in {"self", "client", "releases"} and any(word.endswith("client") for word in words[:-1]):
            namespace = words[-2] if words[-2] in NAMESPACES else ""
            if namespace in {"cluster", "nodes", "snapshot"}:
                yield f"{namespace}.{words[-1]}"
            elif words[-1] == "exists" and not namespace:
                yield "get"
            elif words[-1] == "delete" and not namespace:
                yield "delete document"
            elif (words[-1], namespace) != ("close", ""):
                yield words[-1]


def needed(*paths: str, of_control: bool = False) -> tuple[set[str], set[str]]:
    methods = {call for path in paths for call in calls(path, of_control=of_control)}
    assert methods <= ACTIONS.keys()
    found = [ACTIONS[call] for call in methods]
    return set().union(*(cluster for cluster, _ in found)), set().union(*(index for _, index in found))


def allowed(name: str) -> tuple[set[str], dict[tuple[str, ...], set[str]]]:
    role = ROLES[name]
    indices = {tuple(item["index_patterns"]): set(item["allowed_actions"]) for item in role["index_permissions"]}
    return set(role["cluster_permissions"]), indices


def test_the_reader_role_allows_the_reads_of_the_service() -> None:
    cluster, graph = needed("api/engine/search_engine.py")
    assert allowed("akg-reader") == (cluster, {GRAPH: graph, USAGE: {"indices:data/read/search"}})


def test_the_usage_writer_role_allows_writes_of_usage_counts() -> None:
    cluster, usage = needed("api/telemetry/usage_writer.py")
    assert allowed("akg-usage-writer") == (cluster, {USAGE: usage})


def test_the_indexer_role_allows_writes_of_releases_and_the_lease() -> None:
    cluster, graph = needed(*INDEXER_FILES)
    more, control = needed(*INDEXER_FILES, of_control=True)
    assert allowed("akg-indexer") == (cluster | more, {GRAPH: graph, (CONTROL,): control})


def test_the_snapshots_role_adds_the_actions_of_snapshots_to_the_indexer_role() -> None:
    cluster, graph = needed(*SNAPSHOT_FILES)
    indexer, indices = allowed("akg-indexer")
    assert allowed("akg-snapshots") == (cluster - indexer, {GRAPH: graph - indices[GRAPH]})


def test_the_status_role_allows_the_reads_of_the_status_command() -> None:
    cluster, indices = needed(*STATUS_FILES)
    assert indices == STATUS_ACTIONS | SETTINGS
    metadata = {"indices:admin/aliases/get", "indices:admin/mappings/get"}
    by_indices = {
        GRAPH: STATUS_ACTIONS | SETTINGS | metadata,
        (INSIGHTS_INDICES,): SETTINGS,
        USAGE: STATUS_ACTIONS,
        (CONTROL,): {"indices:data/read/get"} | SETTINGS,
    }
    assert allowed("akg-status") == (cluster, by_indices)


@pytest.mark.parametrize("format_version", [0, FORMAT_VERSION, 12])
def test_the_patterns_match_the_names_of_releases_of_every_format(format_version: int) -> None:
    alias = index_alias(Settings().alias, format_version)
    for name in (alias, f"{alias}-20260101t000000z", staging_prefix(alias)):
        assert any(fnmatchcase(name, pattern) for pattern in GRAPH)


@pytest.mark.parametrize("name", ROLES)
def test_a_role_file_is_a_valid_request_body(name: str) -> None:
    assert set(ROLES[name]) == {"description", "cluster_permissions", "index_permissions"}
    for part in ROLES[name]["index_permissions"]:
        assert set(part) == {"index_patterns", "allowed_actions"}
        assert part["allowed_actions"] == sorted(set(part["allowed_actions"]))
    assert [action for action in all_actions(name) if not ACTION.fullmatch(action)] == []


def all_actions(name: str) -> set[str]:
    cluster, indices = allowed(name)
    return cluster.union(*indices.values())
