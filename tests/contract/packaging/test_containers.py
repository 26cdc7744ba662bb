"""The image and the Kubernetes manifests hold what they must, as far as it can be known without a cluster."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import kubernetes_validate  # type: ignore[import-untyped]
import pytest

from api.settings import read_settings
from tests.support.deployment import MANIFESTS, check_command
from tests.support.project import ROOT

RECIPE = (ROOT / "Dockerfile").read_text("utf-8")
BUILD, FINAL = re.split(r"^FROM .*\n", RECIPE, flags=re.MULTILINE)[1:]
KUBERNETES = ("1.31", "1.37")  # the oldest and the newest that the manifests are meant for
PODS = {name: MANIFESTS[name]["spec"]["template"]["spec"] for name in ("Deployment/akg", "Job/akg-indexer")}
SETTINGS: dict[str, str] = MANIFESTS["ConfigMap/akg"]["data"]
WRITES_FILES = "AKG_OPENSEARCH_C"  # certificates, which are there in the pod only


def test_the_recipe_has_no_fault_that_the_linter_knows() -> None:
    linter = Path(sys.executable).with_name("hadolint")
    result = subprocess.run([linter, ROOT / "Dockerfile"], check=False, capture_output=True, text=True)  # noqa: S603
    assert (result.stdout, result.returncode) == ("", 0)


def test_the_image_is_built_from_what_is_pinned_and_holds_what_the_program_needs() -> None:
    assert re.search(r"^ARG PYTHON_IMAGE=python:3\.1[1-9]-slim$", RECIPE, re.MULTILINE)
    assert RECIPE.count("FROM ${PYTHON_IMAGE}") == 2
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
        *("pyproject.toml", "requirements.lock", "README.md", "LICENSE"),
    }
    sent = {line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")}
    assert sent == copied


def test_what_builds_packages_stays_behind_and_nobody_is_root() -> None:
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["dependency-groups"]
    assert f"uninstall --yes {' '.join(groups['build'])}" in BUILD
    assert "--without-pip" in BUILD
    assert re.findall(r"^RUN (.*)", FINAL, re.MULTILINE) == ["python -m pip uninstall --yes pip"]
    assert re.findall(r"^COPY (.*)", FINAL, re.MULTILINE) == ["--from=build /srv/akg /srv/akg"]
    (user,) = re.findall(r"^USER (\d+):\d+$", FINAL, re.MULTILINE)
    assert int(user) >= 10_000


def test_the_image_asks_itself_whether_it_is_ready() -> None:
    found = read_settings(dict(re.findall(r"\b(AKG_\w+)=(\S+)", FINAL)))
    assert f"http://127.0.0.1:{found.port}/readyz" in FINAL.partition("HEALTHCHECK")[2]
    assert f"EXPOSE {found.port}\n" in FINAL
    assert 'ENTRYPOINT ["akg"]\nCMD ["serve"]\n' in FINAL


@pytest.mark.parametrize("version", KUBERNETES)
@pytest.mark.parametrize("name", MANIFESTS)
def test_a_manifest_keeps_the_schema_of_kubernetes(name: str, version: str) -> None:
    kubernetes_validate.validate(MANIFESTS[name], version, strict=True)


def test_there_is_a_service_with_its_budget_and_an_indexer_that_ends() -> None:
    assert set(MANIFESTS) == {
        *("ConfigMap/akg", "Deployment/akg", "Service/akg", "PodDisruptionBudget/akg", "Job/akg-indexer")
    }
    labels = MANIFESTS["Deployment/akg"]["spec"]["template"]["metadata"]["labels"]
    for name in ("Deployment/akg", "PodDisruptionBudget/akg"):
        assert MANIFESTS[name]["spec"]["selector"]["matchLabels"] == labels
    assert MANIFESTS["Service/akg"]["spec"]["selector"] == labels
    assert PODS["Job/akg-indexer"]["restartPolicy"] == "Never"


@pytest.mark.parametrize("name", PODS)
def test_a_pod_is_nobody_and_can_write_nowhere(name: str) -> None:
    pod = PODS[name]
    (container,) = pod["containers"]
    (user,) = re.findall(r"^USER (\d+):\d+$", FINAL, re.MULTILINE)
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert str(pod["securityContext"]["runAsUser"]) == user
    assert pod["automountServiceAccountToken"] is False
    assert pod["enableServiceLinks"] is False  # else AKG_PORT would be an address, and stop the start
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert {"requests", "limits"} <= container["resources"].keys()
    check_command(container["args"])


def test_the_probes_ask_what_is_meant_for_them() -> None:
    (api,) = PODS["Deployment/akg"]["containers"]
    ports = {port["name"]: port["containerPort"] for port in api["ports"]}
    assert f"EXPOSE {ports['http']}\n" in FINAL
    probes = {name: api[name]["httpGet"] for name in api if name.endswith("Probe")}
    assert probes == {
        "startupProbe": {"path": "/healthz", "port": "http"},
        "livenessProbe": {"path": "/healthz", "port": "http"},
        "readinessProbe": {"path": "/readyz", "port": "http"},
    }
    drains = read_settings({}).drain_seconds + read_settings({}).deadline_seconds + 3
    assert PODS["Deployment/akg"]["terminationGracePeriodSeconds"] > drains


def test_settings_are_real_and_accounts_are_not_among_them(tmp_path: Path) -> None:
    there = {}
    for name, value in SETTINGS.items():
        there[name] = str(tmp_path / Path(value).name) if name.startswith(WRITES_FILES) else value
        if name.startswith(WRITES_FILES):
            assert Path(value).parent == Path(PODS["Deployment/akg"]["containers"][0]["volumeMounts"][0]["mountPath"])
            Path(there[name]).touch()
    assert read_settings(there).engine_urls[0].startswith("https://")
    assert [name for name in SETTINGS if "PASSWORD" in name or "USER" in name] == []
    secrets = {name: pod["containers"][0]["envFrom"][1]["secretRef"]["name"] for name, pod in PODS.items()}
    assert secrets == {"Deployment/akg": "akg-api", "Job/akg-indexer": "akg-indexer"}
