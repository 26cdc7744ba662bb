"""Reads the rule files and the pins for commands: all valid, or an error with every problem."""

from dataclasses import dataclass
from datetime import date
from pathlib import Path

from api.settings import Settings, mappings_folder
from indexer.content.rows import Content
from indexer.synonyms.lint import require_valid_rules
from indexer.synonyms.pins import expired_pins, pins_and_problems, unknown_ids
from indexer.synonyms.rules import rules_and_problems
from schema.errors import UsageError
from schema.pins import Pin
from schema.synonyms import SynonymRule, rules_version


@dataclass(frozen=True, slots=True)
class RuleFiles:
    """The synonym rules and the pins of the mappings folder."""

    rules: tuple[SynonymRule, ...]
    pins: tuple[Pin, ...]

    @property
    def version(self) -> str:
        """The version that a release with them has."""
        return rules_version(self.rules, self.pins)


def rule_folder(settings: Settings) -> Path:
    """Return the folder of the rule files."""
    return mappings_folder(settings) / "synonyms"


def load_files(settings: Settings) -> tuple[RuleFiles, list[str]]:
    """Return the rules and pins of the files, and a message for each line that cannot be read."""
    rules, problems = rules_and_problems(rule_folder(settings))
    pins, pin_problems = pins_and_problems(mappings_folder(settings))
    return RuleFiles(tuple(rules), tuple(pins)), [*problems, *pin_problems]


def load_valid_files(settings: Settings) -> RuleFiles:
    """Return the rules and pins of the files; raise SynonymError with every problem that stops a build."""
    folder = rule_folder(settings)
    if not folder.is_dir():
        raise UsageError(f"There is no folder {folder}. AKG_MAPPINGS must be the folder that contains `synonyms`.")
    files, problems = load_files(settings)
    return RuleFiles(require_valid_rules(files.rules, problems), files.pins)


def lint_pins(settings: Settings, content: Content, today: date) -> tuple[list[str], list[str], int]:
    """Return errors and warnings of the pins, and how many pins there are."""
    pins, problems = pins_and_problems(mappings_folder(settings))
    errors = [*problems, *map(str, unknown_ids(pins, {entity.id for entity in content.entities}))]
    return errors, list(map(str, expired_pins(pins, today))), len(pins)
