"""The prompts of the MCP server: blanks are filled, what is missing is named, the notice is always there."""

from __future__ import annotations

import pytest

from api.about import NOTICE
from api.mcp.prompts import MAX_ARGUMENT_LENGTH, PROMPTS
from api.mcp.tools import TOOLS

PLAN = PROMPTS["plan_accommodations"]


def test_there_are_two_at_most() -> None:
    assert list(PROMPTS) == ["plan_accommodations", "explain_connection"]


@pytest.mark.parametrize("name", PROMPTS)
def test_a_prompt_fills_its_blanks_names_real_tools_and_carries_the_notice(name: str) -> None:
    prompt = PROMPTS[name]
    text = prompt.filled({blank.name: f"<{blank.name}>" for blank in prompt.arguments})
    assert all(f"<{blank.name}>" in text for blank in prompt.arguments)
    assert text.endswith(NOTICE)
    assert "recommend_accommodations" in text
    assert any(tool in text for tool in TOOLS)


@pytest.mark.parametrize(
    ("given", "missing"),
    [({}, ["need"]), ({"need": " "}, ["need"]), ({"need": "tremor"}, []), ({"job": "clerk"}, ["need"])],
)
def test_only_required_blanks_are_missed(given: dict[str, str], missing: list[str]) -> None:
    assert PLAN.missing(given) == missing


def test_an_optional_blank_that_is_empty_says_so() -> None:
    assert "The job, course or task: not said\n" in PLAN.filled({"need": "tremor"})


def test_braces_and_length_of_an_argument_do_no_harm() -> None:
    text = PLAN.filled({"need": "{job} {0}" + "x" * 2 * MAX_ARGUMENT_LENGTH})
    assert "{job} {0}xxx" in text
    assert len(text) < 2_500
