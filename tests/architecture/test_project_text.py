"""What may not stand in the project's text: places that only one machine knows, and words about how it came to be."""

from __future__ import annotations

import re
import subprocess
from urllib.parse import urlsplit

import pytest

from tests.support.project import ROOT

READERS = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "mkdocs.yml", "docs/", "compose.yaml")
TABLES = (".csv", ".tsv")  # names, addresses and questions from all over the world
HERE = "tests/architecture/test_project_text.py"  # spells what it looks for

# Where packages come from is a matter of each machine's own configuration.
REGISTRIES = r"\b(?:pypi[.]org|pythonhosted|npmjs[.]|crates[.]io|proxy[.]golang|repo1[.]maven|deb[.]debian)"
PLACES = r"/(?<![\w.:/]/)(?:work|root|home/\w+|users/\w+)\b"
MAKING = r"\b(?:sub-?agents?|ceo|language model|this issue|issue #?\d+|design[.]md|style[.]md)\b"
CLIENTS = r"\b(?:claude|anthropic|chatgpt)\b"
SETS_UP_CLIENTS = "docs/mcp.md"  # names them, and speaks in the words of their protocol
EXCEPT = (SETS_UP_CLIENTS, "docs/architecture.md")  # lists modules by their names, those of MCP prompts among them
MAKING_FOR_READERS = r"\b(?:issues?|agents?|sessions?|prompts?)\b"
# Addresses that the project's own text, outside the tables and the tests, means to name.
HOSTS = {
    *("127.0.0.1", "localhost", "opensearch", "example.org"),
    *("opensearch-1", "opensearch-2", "opensearch-3", "dashboards", "opensearch-cluster-master"),
    "disease-ontology.org",
    *("askjan.org", "www.onetcenter.org", "creativecommons.org", "keepachangelog.com", "semver.org"),
    "static.modelcontextprotocol.io",
    "www.w3.org",  # the namespace of SVG
}
ADDRESS = re.compile(r"https?://[^\s'\"`<>)\]},]+")


def tracked() -> dict[str, str]:
    """Text of every file that is or will be under version control, in lower case, by path."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)  # noqa: S603 - fixed words
    found = {}
    for name in listed.stdout.split("\0"):
        path = ROOT / name
        if name and path.is_file():
            found[name] = path.read_text("utf-8", errors="replace").lower()
    return found


FILES = tracked()
OWN = {name: text for name, text in FILES.items() if not name.endswith(TABLES) and name != HERE}


def lines(files: dict[str, str], pattern: str) -> list[str]:
    """`file:line: what` for each place where the pattern stands."""
    wanted = re.compile(pattern)
    return [
        f"{name}:{text.count(chr(10), 0, match.start()) + 1}: {match[0]}"
        for name, text in files.items()
        for match in wanted.finditer(text)
    ]


@pytest.mark.parametrize("pattern", [REGISTRIES, PLACES], ids=["registries", "places of one machine"])
def test_nothing_names_where_it_was_made(pattern: str) -> None:
    assert lines({name: text for name, text in FILES.items() if name != HERE}, pattern) == []


def test_nothing_speaks_of_its_own_making() -> None:
    assert lines(OWN, MAKING) == []
    assert lines({name: text for name, text in OWN.items() if name != SETS_UP_CLIENTS}, CLIENTS) == []


def test_pages_for_readers_do_not_either() -> None:
    pages = {name: text for name, text in OWN.items() if name.startswith(READERS) and name not in EXCEPT}
    assert lines(pages, MAKING_FOR_READERS) == []


def test_only_known_addresses_stand_in_the_program_and_its_pages() -> None:
    own = {name: text for name, text in OWN.items() if not name.startswith(("tests/", "bench/", "LICENSE"))}
    strange = [
        f"{name}: {address}"
        for name, text in own.items()
        for address in ADDRESS.findall(text)
        if re.fullmatch(r"[\w.-]+", host := urlsplit(address).hostname or "") and host not in HOSTS
    ]
    assert strange == []
