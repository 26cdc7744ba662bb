"""Reads the synonym rules and the pins of a mappings folder together: a release has both, under one version."""

from dataclasses import dataclass
from pathlib import Path

from indexer.synonyms.lint import require_valid_rules
from indexer.synonyms.pins import pins_and_problems
from indexer.synonyms.rules import rules_and_problems
from schema.pins import Pin
from schema.synonyms import SynonymRule, rules_version

FOLDER = "synonyms"


@dataclass(frozen=True, slots=True)
class RuleFiles:
    """The synonym rules and the pins of the mappings folder."""

    rules: tuple[SynonymRule, ...]
    pins: tuple[Pin, ...]

    @property
    def version(self) -> str:
        """The version that a release with them has."""
        return rules_version(self.rules, self.pins)


def read_rule_files(mappings: Path) -> tuple[RuleFiles, list[str]]:
    """Return the valid rules and pins, and a `file:line: message` for each line that cannot be read."""
    rules, problems = rules_and_problems(mappings / FOLDER)
    pins, pin_problems = pins_and_problems(mappings)
    return RuleFiles(rules, pins), [*problems, *pin_problems]


def read_valid_rule_files(mappings: Path) -> RuleFiles:
    """Return the rules and pins; raise SynonymError with every problem that stops a build."""
    files, problems = read_rule_files(mappings)
    return RuleFiles(require_valid_rules(files.rules, problems), files.pins)
