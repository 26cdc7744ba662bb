"""The objects that `kubectl kustomize` renders from `deploy/kubernetes`, with secrets that are made for the test."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import trustme
import yaml

from tests.support.project import ROOT

OVERLAYS = Path("kubernetes") / "overlays"
PASSWORDS = ("api-password", "indexer-password", "exporter-password")
COMMENTED_LINE = re.compile(r"^( +)# (- |  files: )", re.MULTILINE)
Object = dict[str, Any]


def kubectl() -> str:
    """Return the path of kubectl; without it, skip the test or fail in CI."""
    path = shutil.which("kubectl")
    if path is None and os.environ.get("CI") == "true":
        pytest.fail("kubectl is not installed; .ci/run installs it")
    if path is None:
        pytest.skip("kubectl is not installed; on Debian: apt-get install kubernetes-client")
    return path


def write_secrets(folder: Path) -> None:
    """Make the files of an overlay that are not in the repository."""
    authority = trustme.CA()
    certificate = authority.issue_cert("example.org")
    folder.mkdir()
    for name in PASSWORDS:
        (folder / name).write_text(f"{name} of a test")
    authority.cert_pem.write_to_path(str(folder / "opensearch-ca.crt"))
    certificate.cert_chain_pems[0].write_to_path(str(folder / "public.crt"))
    certificate.private_key_pem.write_to_path(str(folder / "public.key"))


def render(overlay: Path) -> str:
    """Return what `kubectl apply --kustomize` would send for an overlay."""
    done = subprocess.run([kubectl(), "kustomize", str(overlay)], capture_output=True, text=True, check=False)  # noqa: S603 - files of this checkout
    assert done.returncode == 0, done.stderr
    return done.stdout


@dataclass(frozen=True, slots=True)
class Rendered:
    """The objects of one overlay."""

    objects: tuple[Object, ...]

    def of(self, kind: str) -> dict[str, Object]:
        """Return the objects of a kind by name."""
        return {found["metadata"]["name"]: found for found in self.objects if found["kind"] == kind}

    def generated(self, kind: str, name: str) -> Object:
        """Return the object whose name has a hash of its contents."""
        (found,) = (body for full, body in self.of(kind).items() if full.rpartition("-")[0] == name)
        return found

    def pods(self) -> dict[str, Object]:
        """Return the pod template of each workload."""
        jobs = {name: job["spec"]["jobTemplate"]["spec"]["template"] for name, job in self.of("CronJob").items()}
        return {**{name: found["spec"]["template"] for name, found in self.of("Deployment").items()}, **jobs}

    def containers(self) -> Iterator[tuple[str, Object]]:
        """Yield each container with `pod/name`."""
        for pod, template in self.pods().items():
            for container in template["spec"]["containers"]:
                yield f"{pod}/{container['name']}", container


def rendered(folder: Path, overlay: str = "example", *, tables: Path | None = None) -> Rendered:
    """Render a copy of an overlay in a folder, with secrets; with tables, its commented lines are in use."""
    shutil.copytree(ROOT / "deploy", folder / "deploy", ignore=shutil.ignore_patterns("secrets"))
    target = folder / "deploy" / OVERLAYS / overlay
    write_secrets(target / "secrets")
    if tables is not None:
        shutil.copytree(tables, target / "overlay")
        kustomization = target / "kustomization.yaml"
        text = kustomization.read_text("utf-8")
        kustomization.write_text(COMMENTED_LINE.sub(r"\1\2", text), "utf-8")
    return Rendered(tuple(yaml.safe_load_all(render(target))))


def selects(selector: Mapping[str, str], template: Object) -> bool:
    """Return whether a selector matches the labels of a pod template."""
    return bool(selector.items() <= template["metadata"]["labels"].items())
