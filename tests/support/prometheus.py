"""Prometheus and promtool of the machine, and the files of `deploy/monitoring`."""

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from tests.support.project import ROOT
from tests.support.serving import free_port

MONITORING = ROOT / "deploy" / "monitoring"
START_SECONDS = 60


def program(name: str) -> str:
    """Return the path of a program of Debian's package `prometheus`; without it, skip the test or fail in CI."""
    path = shutil.which(name)
    if path is None and os.environ.get("CI") == "true":
        pytest.fail(f"{name} is not installed; .ci/run installs it")
    if path is None:
        pytest.skip(f"{name} is not installed; on Debian: apt-get install prometheus")
    return path


def load(name: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((MONITORING / name).read_text("utf-8"))
    return found


def rules(name: str) -> list[dict[str, Any]]:
    return [rule for group in load(name)["groups"] for rule in group["rules"]]


@dataclass(frozen=True, slots=True)
class Prometheus:
    """A running Prometheus."""

    url: str

    def query(self, expression: str) -> list[dict[str, Any]]:
        """Return the series of an instant query; fail with the message of Prometheus."""
        response = httpx.get(f"{self.url}/api/v1/query", params={"query": expression}, timeout=10)
        assert response.status_code == 200, (expression, response.text)
        found: list[dict[str, Any]] = response.json()["data"]["result"]
        return found


@contextmanager
def prometheus(folder: Path, targets: Mapping[str, str]) -> Iterator[Prometheus]:
    """Run Prometheus with the shipped configuration on other targets, by job, and scrape them each second."""
    config = load("prometheus.yml")
    config["global"] = {"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"}
    for job in config["scrape_configs"]:
        job["static_configs"] = [{"targets": [targets[job["job_name"]]]}]
        if "scrape_interval" in job:
            job |= {"scrape_interval": "5s", "scrape_timeout": "5s"}
    for name in config["rule_files"]:
        shutil.copy(MONITORING / name, folder)
    (folder / "prometheus.json").write_text(json.dumps(config))
    port = free_port()
    command = [program("prometheus"), f"--config.file={folder}/prometheus.json", f"--storage.tsdb.path={folder}/data"]
    with (
        (folder / "prometheus.log").open("wb") as log,
        subprocess.Popen(  # noqa: S603 - Prometheus, on files of this test
            [*command, f"--web.listen-address=127.0.0.1:{port}"], stdout=log, stderr=log
        ) as running,
    ):
        try:
            yield _wait(Prometheus(f"http://127.0.0.1:{port}"), folder / "prometheus.log")
        finally:
            running.terminate()


def _wait(server: Prometheus, log: Path) -> Prometheus:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        try:
            if httpx.get(f"{server.url}/-/ready").status_code == 200:
                return server
        except httpx.TransportError:
            pass
        time.sleep(0.2)
    raise AssertionError(log.read_text("utf-8"))
