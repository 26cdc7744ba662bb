"""Runs `akg` commands on one alias of the shared node, with rule files to edit."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from opensearchpy import OpenSearch
from typer.testing import CliRunner

from akg.cli import app
from indexer.release.releases import Releases
from tests.support.fixture_graphs import MAPPINGS, WORLD

RULES = "# the rules of the fixture graph\nwfh => wfh, telework\nlight breaks, pauses => rest breaks\n"
JUDGMENTS = (
    "query\tkind\tjudgments\tnote\n"
    "telework\texact\tsolution:telework=3\t\n"
    "wfh\tabbreviation\tsolution:telework=3\t\n"
    "low vision\texact\tdisability:low-vision=3 limitation:low-vision=3\t\n"
)


@dataclass(frozen=True, slots=True)
class OperatorSession:
    """The working folder, and the releases of the alias."""

    folder: Path
    url: str
    releases: Releases

    @property
    def rules(self) -> Path:
        """The rule file."""
        return self.folder / "mappings" / "synonyms" / "rules.txt"

    @property
    def judgments(self) -> Path:
        """The judged queries."""
        return self.folder / "judgments.tsv"

    @property
    def environ(self) -> dict[str, str]:
        """The environment of the commands."""
        return {
            "AKG_OPENSEARCH_URL": self.url,
            "AKG_ALIAS": self.releases.alias,
            "AKG_MAPPINGS": str(self.folder / "mappings"),
            "AKG_CONTENT": str(WORLD),
            "AKG_DATA": str(self.folder / "data"),
        }

    def run(self, *words: str, code: int = 0, environ: Mapping[str, str] | None = None, typed: str = "") -> str:
        """Run a command, check its exit code, and return its output."""
        result = CliRunner().invoke(app, list(words), env={**self.environ, **(environ or {})}, input=typed)
        assert result.exit_code == code, result.output
        return result.output

    def state(self) -> tuple[list[str], list[str]]:
        """Return the live indices and every index of the alias, closed ones included."""
        indices = self.releases.client.indices.get(
            index=f"{self.releases.alias}-*", params={"expand_wildcards": "all", "ignore_unavailable": "true"}
        )
        return self.releases.live_indices(), sorted(indices)


def open_session(folder: Path, client: OpenSearch, url: str, alias: str) -> OperatorSession:
    operator = OperatorSession(folder, url, Releases(client, alias))
    (folder / "mappings" / "synonyms").mkdir(parents=True)
    for name in ("entities.json", "vocabulary.json"):
        shutil.copy(MAPPINGS / name, folder / "mappings" / name)
    operator.rules.write_text(RULES)
    operator.judgments.write_text(JUDGMENTS)
    operator.run("index", "build")
    return operator
