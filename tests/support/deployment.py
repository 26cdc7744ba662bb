"""Files that deploy the service: Compose services and roles."""

import json
from typing import Any

import typer.main
import yaml

from akg.cli import app
from tests.support.project import ROOT

COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))
SERVICES: dict[str, Any] = COMPOSE["services"]
ENGINES = ("opensearch", "opensearch-1", "opensearch-2", "opensearch-3")
PROFILES = {
    None: {"image", "snapshots-folder", "opensearch", "indexer", "api", "snapshots", "edge"},
    "market": {"market"},
    "monitoring": {"exporter", "prometheus"},
    "dashboards": {"dashboards", "dashboards-install"},
    "cluster": {*ENGINES[1:], "cluster-indexer", "cluster-api", "cluster-snapshots", "cluster-edge"},
}
ROLES: dict[str, dict[str, Any]] = {
    path.stem: json.loads(path.read_text("utf-8")) for path in sorted((ROOT / "deploy" / "roles").glob("*.json"))
}


def check_command(words: list[str]) -> None:
    command = typer.main.get_command(app)
    rest = list(words)
    while hasattr(command, "commands"):
        command = command.commands[rest.pop(0)]
    known = {option for parameter in command.params for option in parameter.opts}
    assert {word for word in rest if word.startswith("--")} <= known
