"""The inputs of a build: which rules and pins the next release has."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from akg.build import Inputs
from indexer.merge import TableFolders
from schema.pins import Pin, pin_lines
from schema.synonyms import SynonymRule, rule_lines
from schema.vocabulary import Vocabulary

LIVE = SynonymRule("live.txt", 1, ("wfh",), ("wfh", "telework"))
FILE = SynonymRule("file.txt", 1, ("tv",), ("tv", "television"))
LIVE_PIN = Pin("pins.tsv", 2, "chair", "solution:stools", (), "The campus lends stools.")
FILE_PIN = Pin("pins.tsv", 2, "desk", "solution:ramps", (), "The campus has ramps.")


@pytest.fixture
def inputs(vocabulary: Vocabulary) -> Inputs:
    folders = TableFolders(Path("content"), Path("imports"), ())
    now = datetime(2026, 1, 1, tzinfo=UTC)
    return Inputs(folders, vocabulary, {}, (FILE,), (FILE_PIN,), file_rules=True, now=now, stale="")


def test_inputs_with_the_rules_of_a_release_have_its_pins_too(inputs: Inputs) -> None:
    meta = {"rules": rule_lines([LIVE]), "pins": pin_lines([LIVE_PIN])}
    same = inputs.with_rules_of(meta)
    assert (same.rules(meta), same.pins(meta)) == ((LIVE,), (LIVE_PIN,))
    assert inputs.with_rules_of({"rules": rule_lines([LIVE])}).file_pins == ()  # built before there were pins


def test_without_a_release_the_files_count(inputs: Inputs) -> None:
    assert inputs.with_rules_of(None) is inputs
