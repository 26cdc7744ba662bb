"""Generated parts of the reference pages that come from the vocabulary, the export and the metrics."""

import csv
import json
import re
from collections.abc import Callable, Iterable, Mapping

from prometheus_client.metrics_core import Metric

from akg.commands.exporter import DESCRIPTIONS, FAILED, FAILED_DESCRIPTION
from api.app import create_app
from api.settings import Settings
from indexer.content.datapackage_schema import ATTRIBUTIONS, PACKAGE
from indexer.export.documents import ATTRIBUTIONS_TITLE, TITLE
from indexer.export.tables import export_tables
from schema.vocabulary import read_vocabulary
from tests.support.markdown import table
from tests.support.project import CONTENT, MAPPINGS, ROOT
from tests.support.small_graphs import graph_of


def vocabulary(part: str, columns: tuple[str, str]) -> str:
    """Return the names of a part of the vocabulary with their descriptions."""
    rows = json.loads((MAPPINGS / "vocabulary.json").read_text("utf-8"))[part]
    return table(columns, [(f"`{row['name']}`", row["description"]) for row in rows])


def groupings() -> str:
    """Return the groupings with their names."""
    with (CONTENT / "groupings.csv").open(encoding="utf-8", newline="") as file:
        return table(("grouping", "name"), [(f"`{row['slug']}`", row["name"]) for row in csv.DictReader(file)])


def export_files() -> str:
    """Return the files of an export with the columns of each that do not depend on the graph."""
    tables = export_tables(graph_of(()), read_vocabulary(MAPPINGS))
    rows = [(f"`{item.file}`", item.title, ", ".join(f"`{column.name}`" for column in item.columns)) for item in tables]
    others = [(f"`{PACKAGE}`", TITLE, ""), (f"`{ATTRIBUTIONS}`", ATTRIBUTIONS_TITLE, "")]
    return table(("file", "what it contains", "columns"), [*rows, *others])


def metric_families() -> Iterable[Metric]:
    """Return the metrics of a service that counts what an edge sends."""
    collectors = create_app(Settings(), ["http://127.0.0.1:9"]).collectors
    return [family for collector in collectors for family in collector.collect()]


def service_metrics() -> str:
    """Return the metrics of the service by name; counters have the suffix that Prometheus sees."""
    rows = [
        (f"`{family.name}{'_total' if family.type == 'counter' else ''}`", family.type, family.documentation)
        for family in metric_families()
    ]
    return table(("metric", "type", "meaning"), sorted(rows))


def edge_variables() -> str:
    """Return the variables of the edge with their defaults, as the head of its script lists them."""
    script = (ROOT / "deploy/edge/start").read_text("utf-8")
    found = re.findall(r"^#   ([A-Z_]+)  +(.+?)(?:   +(\S+.*))?$", script, re.MULTILINE)
    rows = [(f"`{name}`", f"`{default}`" if default else "", meaning) for name, meaning, default in found]
    return table(("variable", "default", "meaning"), rows)


def exporter_metrics() -> str:
    """Return the metrics of `akg exporter`."""
    described: Mapping[str, str] = {**DESCRIPTIONS, FAILED: FAILED_DESCRIPTION}
    return table(("metric", "meaning"), [(f"`{name}`", meaning) for name, meaning in described.items()])


PARTS: Mapping[str, Callable[[], str]] = {
    "types": lambda: vocabulary("types", ("type", "what it is")),
    "bases": lambda: vocabulary("bases", ("basis", "meaning")),
    "settings of solutions": lambda: vocabulary("settings", ("setting", "meaning")),
    "groupings": groupings,
    "export files": export_files,
    "edge variables": edge_variables,
    "service metrics": service_metrics,
    "exporter metrics": exporter_metrics,
}
