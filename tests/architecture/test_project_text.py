"""The project's text has no local paths, package indexes, unknown hosts or words about its development."""

import re
import subprocess
from urllib.parse import urlsplit

import pytest

from tests.support.project import ROOT

READERS = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "mkdocs.yml", "docs/", "compose.yaml")
TABLES = (".csv", ".tsv")  # names, URLs and queries from many sources
LICENCES = ("LICENSE", "api/explorer/static/licences/")  # texts by others, unchanged
HERE = "tests/architecture/test_project_text.py"  # contains the patterns itself

# Package indexes are a matter of the configuration of each machine.
REGISTRIES = r"\b(?:pypi[.]org|pythonhosted|npmjs[.]|crates[.]io|proxy[.]golang|repo1[.]maven|deb[.]debian)"
PLACES = r"/(?<![\w.:/]/)(?:work|root|home/\w+|users/\w+)\b"
MAKING = r"\b(?:sub-?agents?|ceo|language model|this issue|issue #?\d+|design[.]md|style[.]md)\b"
CLIENTS = r"\b(?:claude|anthropic|chatgpt)\b"
SETS_UP_CLIENTS = (
    "docs/reference/mcp.md",
    "docs/how-to/connect-an-assistant.md",
)  # names clients and uses the terms of their protocol
EXCEPT = (
    *SETS_UP_CLIENTS,
    "docs/reference/modules.md",
    "docs/reference/code-map.md",
)  # lists modules by name, including MCP prompts
MAKING_FOR_READERS = r"\b(?:issues?|agents?|sessions?|prompts?)\b"
# Hosts that the project's text may name, outside of tables and tests.
HOSTS = {
    *("127.0.0.1", "localhost", "opensearch", "example.org"),
    *("opensearch-1", "opensearch-2", "opensearch-3", "dashboards", "opensearch-cluster-master.opensearch"),
    "disease-ontology.org",
    *("askjan.org", "www.onetcenter.org", "creativecommons.org", "keepachangelog.com", "semver.org"),
    "static.modelcontextprotocol.io",
    "not-allowed.invalid",  # stands for every origin that may not call
    "www.w3.org",  # the namespace of SVG
    "vega.github.io",  # identifies the language of a panel
}
ADDRESS = re.compile(r"https?://[^\s'\"`<>)\]},]+")


def tracked() -> dict[str, str]:
    """Return the lower-case text of every file that is not ignored by Git, by path."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)  # noqa: S603 - fixed words
    found = {}
    for name in listed.stdout.split("\0"):
        path = ROOT / name
        if name and path.is_file():
            found[name] = path.read_text("utf-8", errors="replace").lower()
    return found


FILES = tracked()
TEXTS = {name: text for name, text in FILES.items() if not name.endswith(TABLES) and name != HERE}


def lines(files: dict[str, str], pattern: str) -> list[str]:
    """Return `file:line: match` for each match of the pattern."""
    compiled = re.compile(pattern)
    return [
        f"{name}:{text.count(chr(10), 0, match.start()) + 1}: {match[0]}"
        for name, text in files.items()
        for match in compiled.finditer(text)
    ]


@pytest.mark.parametrize("pattern", [REGISTRIES, PLACES], ids=["registries", "places of one machine"])
def test_no_file_names_local_paths_or_package_indexes(pattern: str) -> None:
    assert lines({name: text for name, text in FILES.items() if name != HERE}, pattern) == []


def test_no_file_describes_its_development() -> None:
    assert lines(TEXTS, MAKING) == []
    assert lines({name: text for name, text in TEXTS.items() if name not in SETS_UP_CLIENTS}, CLIENTS) == []


def test_pages_for_readers_do_not_describe_development() -> None:
    pages = {name: text for name, text in TEXTS.items() if name.startswith(READERS) and name not in EXCEPT}
    assert lines(pages, MAKING_FOR_READERS) == []


def test_program_and_pages_name_only_known_hosts() -> None:
    texts = {name: text for name, text in TEXTS.items() if not name.startswith(("tests/", "bench/", *LICENCES))}
    unknown = [
        f"{name}: {address}"
        for name, text in texts.items()
        for address in ADDRESS.findall(text)
        if re.fullmatch(r"[\w.-]+", host := urlsplit(address).hostname or "") and host not in HOSTS
    ]
    assert unknown == []
