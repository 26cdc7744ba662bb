"""`akg exporter` on a real node: what it shows before and after an operator acts, and without OpenSearch."""

from datetime import UTC, datetime

import httpx
import pytest
from opensearchpy import OpenSearch

from akg.commands.exporter import DESCRIPTIONS, OperatorMetrics
from api.settings import Settings
from tests.support.operator_session import OperatorSession
from tests.support.serving import exporting


def values_of(settings: Settings) -> dict[str, float]:
    families = OperatorMetrics(settings, lambda: datetime.now(UTC)).collect()
    samples = [sample for family in families for sample in family.samples]
    return {sample.labels.get("part", sample.name): sample.value for sample in samples}


# Of these tests only: others delete every repository that the cluster has.
PLACE = {"AKG_SNAPSHOT_REPOSITORY": "akg-exporter", "AKG_SNAPSHOT_LOCATION": "akg-exporter"}


@pytest.fixture
def settings(operator: OperatorSession) -> Settings:
    return Settings(
        opensearch_url=(operator.url,),
        alias=operator.releases.alias,
        mappings=operator.folder / "mappings",
        data=operator.folder / "data",
        snapshot_repository=PLACE["AKG_SNAPSHOT_REPOSITORY"],
        snapshot_location=PLACE["AKG_SNAPSHOT_LOCATION"],
    )


def test_shows_snapshots_and_rules_as_they_are(operator: OperatorSession, settings: Settings) -> None:
    before = values_of(settings)
    parts = {"cluster", "snapshots", "rules", "certificates"}
    assert before.keys() == {*DESCRIPTIONS, *parts} - {"akg_certificate_expiry_timestamp_seconds"}  # without TLS
    assert 0 < before["akg_opensearch_disk_used_ratio"] < 1
    assert 0 < before["akg_live_release_age_seconds"] < 3600
    assert (before["akg_opensearch_up"], before["akg_live_release_has_snapshot"]) == (1, 0)
    assert (before["akg_rule_file_differences"], before["akg_rule_file_errors"]) == (0, 0)
    operator.run("snapshot", "create", environ=PLACE)
    text = operator.rules.read_text("utf-8")
    operator.rules.write_text(f"{text}zork => zork, telework\nan invalid line\n", "utf-8")
    after = values_of(settings)
    operator.rules.write_text(text, "utf-8")
    assert after["akg_live_release_has_snapshot"] == 1
    assert (after["akg_rule_file_differences"], after["akg_rule_file_errors"]) == (1, 1)


def test_says_which_part_cannot_be_read(settings: Settings, client: OpenSearch) -> None:
    assert client.ping()
    values = values_of(settings.model_copy(update={"alias": "akg-never-built"}))
    assert (values["cluster"], values["snapshots"], values["rules"]) == (0, 1, 1)
    assert "akg_live_release_has_snapshot" not in values
    assert values_of(Settings(opensearch_url=("http://127.0.0.1:9",))) == {
        "akg_opensearch_up": 0,
        "certificates": 0,
    }


def test_the_command_serves_them(operator: OperatorSession) -> None:
    with exporting({**operator.environ, **PLACE}) as address:
        text = httpx.get(f"http://{address}/metrics", timeout=30).text
    assert "akg_opensearch_up 1.0" in text
    assert 'akg_exporter_failed{part="cluster"} 0.0' in text
