"""The shipped synonym rules and pins have no errors and no warnings."""

from indexer.content.rows import Content
from indexer.synonyms import lint
from indexer.synonyms.lint import TermIndex, terms_of
from indexer.synonyms.pins import pins_and_problems
from indexer.synonyms.rules import rules_and_problems
from tests.support.project import MAPPINGS


def test_lint_finds_nothing_in_the_shipped_files(content: Content) -> None:
    rules, problems = rules_and_problems(MAPPINGS / "synonyms")
    assert len(rules) > 0
    assert [*problems, *lint.errors(rules)] == []
    assert lint.warnings(rules, TermIndex.from_content(terms_of(rules), content)) == []
    assert pins_and_problems(MAPPINGS)[1] == []
