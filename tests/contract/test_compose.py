"""compose.yaml is what the Compose Specification says, and fits this project: no Docker is needed to know."""

from __future__ import annotations

import json
import re
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import typer.main
import yaml

from akg.main import app
from akg.node.release import OPENSEARCH
from api.settings import PREFIX, read_settings
from tests.contract.project import ROOT

Body = dict[str, Any]

COMPOSE: Body = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))
SERVICES: Body = COMPOSE["services"]
OURS = ("indexer", "api")
BUILD = "build"


def specification() -> Body:
    """The schema of the Compose Specification, as the package check-jsonschema ships it."""
    files = metadata.files("check-jsonschema") or []
    (schema,) = [file for file in files if file.name == "compose-spec.json"]
    found: Body = json.loads(Path(str(schema.locate())).read_text("utf-8"))
    return found


def test_it_keeps_the_specification() -> None:
    schema = specification()
    validator = jsonschema.validators.validator_for(schema)(schema)
    assert [f"{error.json_path}: {error.message}" for error in validator.iter_errors(COMPOSE)] == []


def test_it_runs_the_engine_that_the_local_node_runs() -> None:
    assert set(SERVICES) == {"opensearch", *OURS}
    assert SERVICES["opensearch"]["image"] == f"opensearchproject/opensearch:{OPENSEARCH.version}"


def test_services_wait_for_services_that_can_become_what_is_waited_for() -> None:
    waits = {
        (name, other): wait["condition"]
        for name, service in SERVICES.items()
        for other, wait in service.get("depends_on", {}).items()
    }
    assert waits == {
        ("indexer", "opensearch"): "service_healthy",
        ("api", "opensearch"): "service_healthy",
        ("api", "indexer"): "service_completed_successfully",
    }
    healthy = {other for (_, other), condition in waits.items() if condition == "service_healthy"}
    assert {name for name in healthy if "healthcheck" not in SERVICES[name]} == set()
    assert SERVICES["indexer"]["restart"] in ("no", "on-failure")  # one that always starts again never completes


def test_volumes_are_declared_and_used() -> None:
    mounted = {volume.partition(":")[0] for service in SERVICES.values() for volume in service.get("volumes", ())}
    assert mounted == set(COMPOSE["volumes"])


@pytest.mark.parametrize("name", OURS)
def test_settings_are_real_and_lead_to_the_engine(name: str) -> None:
    environment = {key: str(value) for key, value in SERVICES[name]["environment"].items()}
    assert {key for key in environment if not key.startswith(PREFIX)} == set()
    assert read_settings(environment).engine_urls == ("http://opensearch:9200",)


def test_the_api_listens_where_the_port_and_the_health_check_look() -> None:
    api = SERVICES["api"]
    settings = read_settings({key: str(value) for key, value in api["environment"].items()})
    assert settings.host == "0.0.0.0"  # noqa: S104 - inside the container; the published port is what others reach
    (published,) = api["ports"]
    assert published.endswith(f":{settings.port}")
    assert f"http://127.0.0.1:{settings.port}/readyz" in " ".join(api["healthcheck"]["test"])


def test_ports_are_published_on_this_machine_only() -> None:
    ports = [port for service in SERVICES.values() for port in service.get("ports", ())]
    assert [port for port in ports if not port.startswith("127.0.0.1:")] == []


@pytest.mark.parametrize("name", OURS)
def test_commands_exist(name: str) -> None:
    command = typer.main.get_command(app)
    words = SERVICES[name]["command"]
    for word in [word for word in words if not word.startswith("--")]:
        command = command.commands[word]  # type: ignore[attr-defined]  # a group while words are left
    assert command.callback is not None
    known = {option for parameter in command.params for option in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= known


def test_both_services_run_one_image_that_holds_what_the_program_needs() -> None:
    assert SERVICES["indexer"][BUILD] == SERVICES["api"][BUILD]
    recipe = SERVICES["api"][BUILD]["dockerfile_inline"]
    assert "--require-hashes -r requirements.lock" in recipe
    copied = {
        word.rstrip("/")
        for line in recipe.splitlines()
        if line.startswith("COPY ")
        for word in line.split()[1:-1]
    }  # fmt: skip
    assert {word for word in copied if not (ROOT / word).exists()} == set()
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert {*wheel["packages"], *wheel["force-include"], "pyproject.toml", "requirements.lock"} <= copied


def test_the_recipe_runs_as_an_ordinary_user_on_a_python_that_is_supported() -> None:
    recipe = SERVICES["api"][BUILD]["dockerfile_inline"]
    version = re.search(r"^FROM python:3\.(\d+)-slim$", recipe, re.MULTILINE)
    assert version
    assert int(version[1]) >= 11
    assert re.search(r"^USER (?!root)\w+$", recipe, re.MULTILINE)
