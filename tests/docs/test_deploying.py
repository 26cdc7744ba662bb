"""The commands in docs/deploying.md name existing files, services, objects and roles."""

import shlex

import pytest

from tests.support.deployment import MANIFESTS, PROFILES, ROLES, SERVICES
from tests.support.markdown import blocks, code, rows, section
from tests.support.project import DOCS, ROOT

PAGE = (DOCS / "deploying.md").read_text("utf-8")
LINES = [line for block in blocks(PAGE) if block.language == "sh" for line in block.text.splitlines()]
OPTIONS = {"--build", "-t"}


def arguments_of(*words: str) -> list[list[str]]:
    found = [shlex.split(line) for line in LINES]
    return [line[len(words) :] for line in found if line[: len(words)] == list(words)]


def test_the_page_uses_only_programs_that_are_tested() -> None:
    assert {line.split()[0] for line in LINES} == {"akg", "curl", "docker", "kubectl"}


def test_compose_commands_name_existing_profiles_and_services() -> None:
    seen = set()
    for words in arguments_of("docker", "compose"):
        rest = [word for word in words if word not in OPTIONS]
        if rest[0] == "--profile":
            seen.add(rest[1])
            rest = rest[2:]
        assert rest[0] == "up"
        assert set(rest[1:]) <= SERVICES.keys()
    assert seen == {name for name in PROFILES if name}


def test_kubectl_commands_name_existing_files_and_objects() -> None:
    known = {name.lower() for name in MANIFESTS}
    named = [word for words in arguments_of("kubectl") for word in words]
    assert [word for word in named if word.startswith("deploy/") and not (ROOT / word).is_file()] == []
    assert {word for word in named if word.startswith(("job/", "deployment/"))} <= known
    files = {word for word in named if word.startswith("deploy/")}
    assert files == {path.relative_to(ROOT).as_posix() for path in (ROOT / "deploy" / "kubernetes").iterdir()}


def test_every_role_is_created_from_its_file_and_described() -> None:
    requests = [words for words in arguments_of("curl") if "_plugins/_security/api/roles/" in words[-1]]
    names = [words[-1].rpartition("/")[2] for words in requests]
    assert names == [code(row["role"]) for row in rows(section(PAGE, "A cluster"))]
    assert sorted(names) == sorted(ROLES)
    for name, words in zip(names, requests, strict=True):
        assert f"@deploy/roles/{name}.json" in words
        assert words[words.index("-X") + 1] == "PUT"


@pytest.mark.parametrize("path", sorted((ROOT / "deploy").rglob("*.yaml")), ids=lambda path: path.name)
def test_the_comments_of_a_manifest_name_existing_files(path: object) -> None:
    text = (ROOT / str(path)).read_text("utf-8")
    words = {word for line in text.splitlines() if line.startswith("#") for word in line.split() if "deploy/" in word}
    named = {word.removeprefix("--from-file=").rstrip(",;.") for word in words}
    assert {word for word in named if not (ROOT / word).exists()} == set()
