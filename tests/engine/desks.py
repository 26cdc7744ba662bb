"""An operator at a desk of their own: `akg` commands over one alias of the shared node, with rule files to edit."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from typer.testing import CliRunner
from worlds import MAPPINGS, WORLD

from akg.main import app
from indexer.release import Releases

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from opensearchpy import OpenSearch

RULES = "# the rules of a small world\nwfh => wfh, telework\nlight breaks, pauses => rest breaks\n"
JUDGMENTS = (
    "query\tkind\tjudgments\tnote\n"
    "telework\texact\tsolution:telework=3\t\n"
    "wfh\tabbreviation\tsolution:telework=3\t\n"
    "low vision\texact\tdisability:low-vision=3 limitation:low-vision=3\t\n"
)


@dataclass(frozen=True, slots=True)
class Desk:
    """Where the operator works, and the releases behind the alias."""

    folder: Path
    url: str
    releases: Releases

    @property
    def rules(self) -> Path:
        """The file that is edited."""
        return self.folder / "mappings" / "synonyms" / "rules.txt"

    @property
    def judgments(self) -> Path:
        """What the operator measures with."""
        return self.folder / "judgments.tsv"

    @property
    def environ(self) -> dict[str, str]:
        """The settings."""
        return {
            "AKG_OPENSEARCH_URL": self.url,
            "AKG_ALIAS": self.releases.alias,
            "AKG_MAPPINGS": str(self.folder / "mappings"),
            "AKG_CONTENT": str(WORLD),
            "AKG_DATA": str(self.folder / "data"),
        }

    def run(self, *words: str, code: int = 0, environ: Mapping[str, str] | None = None) -> str:
        """Run a command, hold it to its exit code, and return what it printed."""
        ended = CliRunner().invoke(app, list(words), env={**self.environ, **(environ or {})})
        assert ended.exit_code == code, ended.output
        return ended.output

    def state(self) -> tuple[list[str], list[str]]:
        """The live index, and every index of the alias, closed ones included."""
        found = self.releases.client.indices.get(
            index=f"{self.releases.alias}-*", params={"expand_wildcards": "all", "ignore_unavailable": "true"}
        )
        return self.releases.live_indices(), sorted(found)


def open_desk(folder: Path, client: OpenSearch, url: str, alias: str) -> Desk:
    """A desk with one release of the small world."""
    desk = Desk(folder, url, Releases(client, alias))
    (folder / "mappings" / "synonyms").mkdir(parents=True)
    for name in ("entities.json", "vocabulary.json"):
        shutil.copy(MAPPINGS / name, folder / "mappings" / name)
    desk.rules.write_text(RULES)
    desk.judgments.write_text(JUDGMENTS)
    desk.run("index", "build")
    return desk
