"""The commands of the pages about Compose, Kubernetes and roles name existing files, services and objects, or run."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.deployment import PROFILES, ROLES, SERVICES, check_command
from tests.support.kubernetes import OVERLAYS, kubectl, rendered, write_secrets
from tests.support.markdown import Block, blocks, code, rows, section
from tests.support.project import DOCS, ROOT

HOW_TO = DOCS / "how-to"
COMPOSE, KUBERNETES, CLUSTER = (
    (HOW_TO / f"{name}.md").read_text("utf-8")
    for name in ("deploy-with-compose", "deploy-on-kubernetes", "use-your-own-opensearch")
)
OPTIONS = {"--build", "--detach", "--volumes", "--rm"}


def shell_blocks(page: str) -> list[Block]:
    return [block for block in blocks(page) if block.language == "sh"]


def lines(page: str) -> list[list[str]]:
    return [shlex.split(line) for block in shell_blocks(page) for line in block.text.splitlines()]


def run(script: str, folder: Path) -> str:
    """Run commands of a page; return their output."""
    command = ["bash", "-euc", script]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=60)  # noqa: S603
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_compose_page_uses_only_programs_that_are_tested() -> None:
    assert {words[0] for words in lines(COMPOSE)} == {"docker", "curl"}


def test_compose_commands_name_existing_profiles_services_and_commands() -> None:
    profiles, verbs = {"market"}, set()
    for words in [words[2:] for words in lines(COMPOSE) if words[:2] == ["docker", "compose"]]:
        rest = [word for word in words if word not in OPTIONS]
        if rest[0] == "--profile":
            profiles.add(rest[1])
            rest = rest[2:]
        verb, *rest = rest
        verbs.add(verb)
        if verb == "exec":
            assert rest[1] == "akg"
            check_command(rest[2:])
        services = rest[:1] if verb == "exec" else [word for word in rest if word not in {"--user", "$(id -u)"}]
        assert set(services) <= SERVICES.keys()
    assert profiles == {*(name for name in PROFILES if name), "*"}
    assert verbs == {"up", "exec", "run", "logs", "down"}


def test_the_compose_page_lists_the_profiles_and_the_port_of_the_edge() -> None:
    table = rows(section(COMPOSE, "Add more"))
    assert {code(row["profile"]) for row in table} == {name for name in PROFILES if name}
    (address,) = {word for words in lines(COMPOSE) if words[0] == "curl" for word in words if "://" in word}
    assert address.startswith("http://localhost:8080/")
    assert SERVICES["edge"]["ports"] == ["127.0.0.1:8080:8080"]


def test_the_files_of_an_overlay_are_made_and_rendered_as_the_page_says(tmp_path: Path) -> None:
    kubectl()
    shutil.copytree(ROOT / "deploy", tmp_path / "deploy", ignore=shutil.ignore_patterns("secrets"))
    fill, show = shell_blocks(section(KUBERNETES, "Fill in your values"))
    run(fill.text, tmp_path)
    secrets = tmp_path / "deploy" / OVERLAYS / "production" / "secrets"
    made = {path.name: path.read_text() for path in secrets.iterdir()}
    assert {len(password) for password in made.values()} == {48}
    assert len(set(made.values())) == len(made)
    write_secrets(tmp_path / "others")
    missing = {path.name for path in (tmp_path / "others").iterdir()} - made.keys()
    text = section(KUBERNETES, "Fill in your values")
    assert missing == set(re.findall(r"`([\w-]+\.(?:crt|key))`", text))
    for name in missing:
        shutil.copy(tmp_path / "others" / name, secrets)
    assert "name: akg-public-tls-" in run(show.text, tmp_path)


def test_git_ignores_secrets() -> None:
    path = "deploy/kubernetes/overlays/production/secrets/api-password"
    ignored = subprocess.run(["git", "check-ignore", path], cwd=ROOT, capture_output=True, check=False)  # noqa: S603, S607
    assert ignored.returncode == 0


def test_kubectl_commands_name_existing_folders_and_objects(tmp_path: Path) -> None:
    found = rendered(tmp_path)
    known = {f"{each['kind'].lower()}/{each['metadata']['name']}" for each in found.objects} | {"service/akg"}
    commands = [words[1:] for words in lines(KUBERNETES) if words[0] == "kubectl"]
    jobs = {words[-1] for words in commands if "create" in words}
    named = {
        word.removeprefix("--from=") for words in commands for word in words if "/" in word and "deploy/" not in word
    }
    assert named <= known | {f"job/{name}" for name in jobs}
    assert {word for words in commands for word in words if word.startswith("deploy/")} == {
        "deploy/kubernetes/overlays/production"  # the copy
    }
    assert {words[1] for words in commands if words[0] == "--namespace"} == {"akg"}
    table = " ".join(row["object"] for row in rows(section(KUBERNETES, "What runs")))
    names = {each["metadata"]["name"] for kind in ("Deployment", "CronJob") for each in found.of(kind).values()}
    assert set(re.findall(r"`([\w-]+)`", table)) == names


def test_every_role_is_created_from_its_file_and_described() -> None:
    requests = [words for words in lines(CLUSTER) if "_plugins/_security/api/roles/" in words[-1]]
    names = [words[-1].rpartition("/")[2] for words in requests]
    assert names == [code(row["role"]) for row in rows(section(CLUSTER, "Create the roles"))]
    assert sorted(names) == sorted(ROLES)
    for name, words in zip(names, requests, strict=True):
        assert f"@deploy/roles/{name}.json" in words
        assert words[words.index("-X") + 1] == "PUT"


@pytest.mark.parametrize("path", sorted((ROOT / "deploy").rglob("*.yaml")), ids=lambda path: path.name)
def test_the_comments_of_a_manifest_name_existing_files(path: Path) -> None:
    comments = [line for line in path.read_text("utf-8").splitlines() if line.lstrip().startswith("#")]
    named = {word.strip(",;.:") for line in comments for word in line.split() if word.startswith(("deploy/", "docs/"))}
    assert {word for word in named if not (ROOT / word).exists()} == set()
