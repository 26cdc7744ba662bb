"""The rules and alerts of `deploy/monitoring`: valid, tested, with runbooks, and over metrics that are exported."""

import re
import subprocess

import pytest
import yaml

from akg.commands.exporter import DEFAULT_PORT, DESCRIPTIONS, FAILED
from akg.commands.status import DISK_USED, OLD_RELEASE_DAYS
from api.app import create_app
from api.settings import Settings
from api.telemetry.usage_counters import BOUNDS_SECONDS
from tests.support.markdown import sections
from tests.support.project import ROOT
from tests.support.prometheus import MONITORING, load, program, rules

ALERTS = rules("alerts.yml")
BY_NAME = {alert["alert"]: alert for alert in ALERTS}
METRIC = re.compile(r"\b(?:akg[_:][\w:]+|up)\b")
SUFFIX = re.compile(r"_(bucket|count|sum|total)$")


def promtool(*words: str) -> None:
    done = subprocess.run([program("promtool"), *words], cwd=MONITORING, capture_output=True, text=True, check=False)  # noqa: S603 - files of this checkout
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_configuration_and_its_rules_are_valid() -> None:
    for name in ("prometheus.yml", "prometheus-compose.yml"):
        promtool("check", "config", name)
    promtool("check", "rules", "recording.yml", "alerts.yml")


def test_each_alert_fires_when_it_should_and_not_when_all_is_well() -> None:
    promtool("test", "rules", "alerts_test.yml")


def test_each_alert_has_a_case_in_which_it_fires_and_is_quiet_while_all_is_well() -> None:
    first, *cases = yaml.safe_load((MONITORING / "alerts_test.yml").read_text("utf-8"))["tests"]
    assert [check["alertname"] for check in first["alert_rule_test"]] == list(BY_NAME)
    fired = {check["alertname"] for case in cases for check in case["alert_rule_test"] if check["exp_alerts"]}
    assert fired == BY_NAME.keys()


@pytest.mark.parametrize("name", BY_NAME)
def test_each_alert_links_to_a_runbook_that_exists(name: str) -> None:
    annotations = BY_NAME[name]["annotations"]
    path, _, anchor = annotations["runbook_url"].partition("#")
    titles = [part.title.lower() for part in sections((ROOT / path).read_text("utf-8"))]
    assert anchor in {re.sub(r"[^\w\- ]", "", title).replace(" ", "-") for title in titles}
    assert annotations["summary"]
    assert BY_NAME[name]["labels"]["severity"] in {"page", "ticket"}


def test_every_metric_of_a_rule_is_exported() -> None:
    collectors = create_app(Settings(), ["http://127.0.0.1:9"]).collectors
    exported = {family.name for collector in collectors for family in collector.collect()}
    exported |= {"up", *DESCRIPTIONS, FAILED, *(rule["record"] for rule in rules("recording.yml"))}
    for rule in (*ALERTS, *rules("recording.yml")):
        named = {SUFFIX.sub("", name) for name in METRIC.findall(re.sub(r'"[^"]*"', "", rule["expr"]))}
        assert named - exported == set(), rule


def test_the_thresholds_are_those_of_the_program() -> None:
    assert f"> {OLD_RELEASE_DAYS} * 86400" in BY_NAME["AkgReleaseOld"]["expr"]
    assert f"> {DISK_USED}" in BY_NAME["AkgDiskAlmostFull"]["expr"]
    assert 0.3 in BOUNDS_SECONDS  # the rules of slow requests read this bucket
    ports = {job["job_name"]: job["static_configs"][0]["targets"] for job in load("prometheus.yml")["scrape_configs"]}
    assert ports == {"akg": ["127.0.0.1:9464"], "akg-exporter": [f"127.0.0.1:{DEFAULT_PORT}"]}
