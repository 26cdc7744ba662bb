"""compose.yaml matches the Compose Specification and this project, checked without Docker."""

import json
import os
import re
import subprocess
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path

import jsonschema
import pytest

from akg.commands.exporter import DEFAULT_PORT
from akg.node.distribution import OPENSEARCH
from api.settings import PREFIX, read_settings
from indexer.overlays.folder import read_overlay_files
from tests.support.deployment import COMPOSE, ENGINES, PROFILES, SERVICES, check_command
from tests.support.markdown import blocks
from tests.support.project import DOCS, ROOT
from tests.support.prometheus import load

EDGES = {"edge": "api", "cluster-edge": "cluster-api"}
COMMANDS = ("indexer", "api", "exporter", "dashboards-install", "cluster-indexer", "cluster-api")  # with OpenSearch
OTHERS = {"prometheus", "edge", "cluster-edge"}
LOOPS = ("snapshots", "cluster-snapshots")
PROJECT_SERVICES = ("image", "market", *COMMANDS, *LOOPS)


VARIABLE = re.compile(r"\$\{(\w+):-([^}]*)\}")


def substituted(value: str, variables: Mapping[str, str]) -> str:
    """Return a value as Compose reads it."""
    return VARIABLE.sub(lambda found: variables.get(found[1]) or found[2], value)


def values(name: str, variables: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment of a service where the shell sets these variables only."""
    environment = SERVICES[name]["environment"].items()
    return {key: substituted(str(value), variables or {}) for key, value in environment if value is not None}


def test_the_file_matches_the_specification() -> None:
    files = metadata.files("check-jsonschema") or []
    (path,) = [file for file in files if file.name == "compose-spec.json"]
    schema = json.loads(Path(str(path.locate())).read_text("utf-8"))
    validator = jsonschema.validators.validator_for(schema)(schema)
    assert [f"{error.json_path}: {error.message}" for error in validator.iter_errors(COMPOSE)] == []


def test_every_service_is_in_a_profile_of_the_header() -> None:
    found: dict[str | None, set[str]] = {}
    for name, service in SERVICES.items():
        for profile in service.get("profiles", [None]):
            found.setdefault(profile, set()).add(name)
    assert found == PROFILES
    header = (ROOT / "compose.yaml").read_text("utf-8").partition("\nname:")[0]
    named = set(re.findall(r"--profile (\w+)", header))
    assert named == {name for name in PROFILES if name} - {"market"}  # a service that is named needs no profile
    assert re.findall(r"compose run .* (\w+)$", header, re.MULTILINE) == ["market"]


def test_one_service_builds_the_image_and_all_others_wait_for_it() -> None:
    assert [name for name, service in SERVICES.items() if "build" in service] == ["image"]
    using = {name for name, service in SERVICES.items() if service["image"] == "akg"}
    assert using == set(PROJECT_SERVICES)
    assert SERVICES["image"]["build"] == "."
    for name in using - {"image"}:
        assert SERVICES[name]["depends_on"]["image"] == {"condition": "service_completed_successfully"}
        assert SERVICES[name]["pull_policy"] == "never"  # no registry has it


def test_opensearch_has_the_version_of_the_local_node() -> None:
    images = {name: SERVICES[name]["image"] for name in SERVICES if name not in {*PROJECT_SERVICES, *OTHERS}}
    dashboards = images.pop("dashboards")
    assert set(images.values()) == {f"opensearchproject/opensearch:{OPENSEARCH.version}"}
    assert dashboards == f"opensearchproject/opensearch-dashboards:{OPENSEARCH.version}"


def test_services_wait_for_conditions_that_can_be_met() -> None:
    waits = {
        (name, dependency): wait["condition"].removeprefix("service_")
        for name, service in SERVICES.items()
        for dependency, wait in service.get("depends_on", {}).items()
    }
    nodes = ENGINES[1:]
    cluster = ("cluster-indexer", "cluster-api", "cluster-snapshots")
    assert waits == {
        **{(name, "snapshots-folder"): "completed_successfully" for name in ENGINES},
        **{(name, "image"): "completed_successfully" for name in PROJECT_SERVICES if name != "image"},
        **{(name, "opensearch"): "healthy" for name in ("indexer", "api", "exporter", "snapshots")},
        ("prometheus", "api"): "started",
        ("prometheus", "exporter"): "started",
        ("api", "indexer"): "started",
        ("dashboards", "opensearch"): "healthy",
        ("dashboards-install", "dashboards"): "healthy",
        **{(name, node): "healthy" for name in cluster for node in nodes},
        ("cluster-api", "cluster-indexer"): "started",
        ("cluster-edge", "cluster-snapshots"): "started",
        **dict.fromkeys(EDGES.items(), "started"),
    }
    healthy = {dependency for (_, dependency), condition in waits.items() if condition == "healthy"}
    assert {name for name in healthy if "healthcheck" not in SERVICES[name]} == set()
    for (_, dependency), condition in waits.items():
        if condition == "completed_successfully":  # a service that restarts never completes
            assert SERVICES[dependency]["restart"] == "no"
    for name, dependency in waits:  # the same profile starts the dependency
        assert set(SERVICES[dependency].get("profiles", ())) <= set(SERVICES[name].get("profiles", ()))


def test_volumes_are_declared_and_used() -> None:
    volumes = [substituted(volume, {}) for service in SERVICES.values() for volume in service.get("volumes", ())]
    mounted = {volume.partition(":")[0] for volume in volumes}
    folders = {"./deploy/edge", "./deploy/monitoring", "./content", "./docs/examples"}
    assert mounted == {*COMPOSE["volumes"], *folders}
    assert [folder for folder in folders if not (ROOT / folder).is_dir()] == []
    data = [volume for name in ENGINES for volume in SERVICES[name]["volumes"] if volume.endswith("/data")]
    assert len(set(data)) == len(ENGINES)  # nodes do not share data


def test_all_nodes_share_the_snapshot_folder() -> None:
    for name in ENGINES:
        assert SERVICES[name]["environment"]["path.repo"] == "/snapshots"
        assert "snapshots:/snapshots" in SERVICES[name]["volumes"]


@pytest.mark.parametrize("name", ENGINES)
def test_no_node_stores_the_text_of_searches(name: str) -> None:
    environment = SERVICES[name]["environment"]
    prefix = "search.insights.top_queries."
    insights = {key.removeprefix(prefix): value for key, value in environment.items() if key.startswith(prefix)}
    enabled = {f"{metric}.enabled": "false" for metric in ("latency", "cpu", "memory")}
    assert insights == {**enabled, "exporter.type": "none"}
    assert "-XX:-HeapDumpOnOutOfMemoryError" in environment["OPENSEARCH_JAVA_OPTS"].split()
    assert SERVICES[name]["ulimits"]["core"] == {"soft": 0, "hard": 0}


def test_the_cluster_nodes_discover_each_other_and_the_single_node_does_not() -> None:
    nodes = ENGINES[1:]
    for name in nodes:
        environment = SERVICES[name]["environment"]
        assert environment["node.name"] == name
        for setting in ("discovery.seed_hosts", "cluster.initial_cluster_manager_nodes"):
            assert tuple(environment[setting].split(",")) == nodes
    assert SERVICES["opensearch"]["environment"]["discovery.type"] == "single-node"


@pytest.mark.parametrize("name", [*COMMANDS, *LOOPS])
def test_settings_exist_and_have_the_urls_of_opensearch(name: str) -> None:
    environment = values(name)
    assert {key for key in environment if not key.startswith(PREFIX)} == set()
    nodes = [dependency for dependency in SERVICES[name]["depends_on"] if dependency in ENGINES] or ["opensearch"]
    assert read_settings(environment).engine_urls == tuple(f"http://{node}:9200" for node in nodes)


@pytest.mark.parametrize(("name", "api"), EDGES.items())
def test_only_the_edge_publishes_a_port_of_the_service(name: str, api: str) -> None:
    edge, variables = SERVICES[name], SERVICES[name]["environment"]
    assert "ports" not in SERVICES[api]
    assert edge["ports"] == [f"127.0.0.1:8080:{variables['EDGE_LISTEN'].rpartition(':')[2]}"]
    assert variables["EDGE_UPSTREAM"] == f"{api}:8080"
    assert "EXPOSE 8080\n" in (ROOT / "Dockerfile").read_text("utf-8")
    assert "healthcheck" not in SERVICES[api]  # the image has one
    settings = read_settings(values(api))
    assert settings.trusted_proxies == 1
    assert variables["EDGE_COUNTS"] == f"{api}:{settings.edge_counts.rpartition(':')[2]}"


@pytest.mark.parametrize("names", EDGES.items())
def test_the_shell_sets_what_service_and_edge_share(names: tuple[str, str]) -> None:
    for name in names:
        variables = SERVICES[name]["environment"]
        assert {key for key, value in variables.items() if value is None} == {"AKG_RATE_LIMIT", "AKG_ALLOWED_ORIGINS"}


@pytest.mark.parametrize("name", EDGES)
def test_the_edge_has_its_files_in_memory_and_no_rights(name: str) -> None:
    edge = SERVICES[name]
    (tmpfs,) = edge["tmpfs"]
    folder, _, options = tmpfs.partition(":")
    assert Path(edge["environment"]["EDGE_FOLDER"]).parent == Path(folder)
    assert {"mode=0700", f"uid={edge['user'].partition(':')[0]}"} <= set(options.split(","))
    assert (edge["cap_drop"], edge["read_only"]) == (["ALL"], True)
    (mount,) = edge["volumes"]
    source, target, mode = mount.split(":")
    assert (edge["entrypoint"], mode) == ([f"{target}/start"], "ro")
    assert (ROOT / source / "start").stat().st_mode & 0o111
    known = set(re.findall(r"^#   ((?:EDGE|AKG)_\w+)", (ROOT / source / "start").read_text("utf-8"), re.MULTILINE))
    assert edge["environment"].keys() <= known


def test_ports_are_published_on_loopback_only() -> None:
    ports = [port for service in SERVICES.values() for port in service.get("ports", ())]
    assert [port for port in ports if not port.startswith("127.0.0.1:")] == []


@pytest.mark.parametrize("name", [*COMMANDS, "market"])
def test_commands_exist(name: str) -> None:
    check_command(SERVICES[name]["command"])


@pytest.mark.parametrize("name", LOOPS)
def test_a_snapshot_is_verified_before_older_ones_are_deleted(name: str, tmp_path: Path) -> None:
    service = SERVICES[name]
    (script,) = service["command"]
    assert (service["entrypoint"], service["init"]) == (["sh", "-c"], True)
    for command in re.findall(r"akg ([\w -]+)", script):
        check_command(command.split())
    log = tmp_path / "log"
    programs = {  # the first verification fails, and the pause of a day ends the test
        "akg": f'echo "$*" >>{log}; [ "$2" != verify ] || [ "$(grep -c verify {log})" -gt 1 ]',
        "sleep": f'echo "sleep $1" >>{log}; [ "$1" != 86400 ] || kill $PPID',
    }
    for program, text in programs.items():
        (tmp_path / program).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / program).chmod(0o755)
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    subprocess.run(["/bin/sh", "-c", script], env=path, check=False, timeout=60)  # noqa: S603 - of compose.yaml
    attempt = ["snapshot create", "snapshot verify"]
    expected = [*attempt, "sleep 60", *attempt, "snapshot prune --keep 7", "sleep 86400"]
    assert log.read_text().splitlines() == expected


def test_overlays_are_mounted_where_the_variables_say() -> None:
    page = (DOCS / "how-to" / "deploy-with-compose.md").read_text("utf-8")
    (example,) = [block.text for block in blocks(page) if block.language == "ini"]
    variables = dict(line.split("=") for line in example.splitlines())
    for name in (*COMMANDS, *LOOPS):
        (volume,) = SERVICES[name]["volumes"]
        source, target, mode = substituted(volume, variables).split(":")
        assert mode == "ro"
        (folder,) = read_settings(values(name, variables)).overlays
        overlay = read_overlay_files(ROOT / source / folder.relative_to(target))
        assert "source.csv" in overlay.files
        assert read_settings(values(name)).overlays == ()


def test_the_market_check_writes_the_tables_of_the_checkout() -> None:
    service = SERVICES["market"]
    assert " ".join(service["command"]) == "market verify --older-than 7 --minutes 600"
    assert service["volumes"] == [f"./content:{service['environment']['AKG_CONTENT']}"]
    assert {name for name in service["environment"] if not name.startswith(PREFIX)} == set()
    read_settings({"AKG_CONTENT": service["environment"]["AKG_CONTENT"]})


def test_prometheus_scrapes_the_api_and_the_exporter() -> None:
    command = SERVICES["prometheus"]["command"]
    (config,) = [Path(word.partition("=")[2]) for word in command if word.startswith("--config.file=")]
    assert f"./deploy/monitoring:{config.parent}:ro" in SERVICES["prometheus"]["volumes"]
    jobs = {job["job_name"]: job["static_configs"][0]["targets"] for job in load(config.name)["scrape_configs"]}
    port = SERVICES["api"]["environment"]["AKG_ADMIN_PORT"]
    assert jobs == {"akg": [f"api:{port}"], "akg-exporter": [f"exporter:{DEFAULT_PORT}"]}
    own = load("prometheus.yml")
    assert jobs.keys() == {job["job_name"] for job in own["scrape_configs"]}
    assert load(config.name)["rule_files"] == own["rule_files"]


@pytest.mark.parametrize("name", PROJECT_SERVICES)
def test_project_services_have_a_read_only_file_system_and_no_rights(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert (service["cap_drop"], service["security_opt"]) == (["ALL"], ["no-new-privileges:true"])
