"""What the MCP server says about itself: instructions, tools and prompts."""

import pytest

from api.about import NOTICE
from api.mcp.descriptions import DESCRIPTIONS, INSTRUCTIONS, PROMPTS
from api.mcp.tools import TOOLS
from api.parameters import MAX_QUERY_LENGTH

PLAN = PROMPTS["plan_accommodations"]


@pytest.mark.parametrize("name", DESCRIPTIONS)
def test_a_description_has_four_parts_and_the_last_names_a_tool(name: str) -> None:
    words = DESCRIPTIONS[name]
    assert all(part.endswith(".") for part in (words.does, words.use_when, words.returns, words.then))
    assert words.title
    assert not words.title.endswith(".")
    assert 200 < len(words.description) < 1_000
    assert any(other in words.then for other in TOOLS)


def test_the_instructions_name_the_first_tools_and_have_the_notice() -> None:
    assert "search_accommodations" in INSTRUCTIONS
    assert "recommend_accommodations" in INSTRUCTIONS
    assert "not legal, medical or HR advice" in INSTRUCTIONS
    assert len(INSTRUCTIONS) < 2_000


@pytest.mark.parametrize("name", PROMPTS)
def test_a_prompt_has_its_arguments_names_real_tools_and_ends_with_the_notice(name: str) -> None:
    prompt = PROMPTS[name]
    placeholders = {argument.name: f"<{argument.name}>" for argument in prompt.arguments}
    text = prompt.filled(placeholders)
    assert all(placeholder in text for placeholder in placeholders.values())
    assert text.endswith(NOTICE)
    assert "recommend_accommodations" in text
    assert any(tool in text for tool in TOOLS)


@pytest.mark.parametrize(
    ("arguments", "missing"),
    [({}, ["need"]), ({"need": " "}, ["need"]), ({"need": "tremor"}, []), ({"job": "clerk"}, ["need"])],
)
def test_only_required_arguments_can_be_missing(arguments: dict[str, str], missing: list[str]) -> None:
    assert PLAN.missing(arguments) == missing


def test_an_absent_optional_argument_has_a_default() -> None:
    assert "The job, course or task: not specified\n" in PLAN.filled({"need": "tremor"})


def test_braces_in_an_argument_are_text_and_long_arguments_are_truncated() -> None:
    text = PLAN.filled({"need": "{job} {0}" + "x" * 2 * MAX_QUERY_LENGTH})
    assert "{job} {0}xxx" in text
    assert len(text) < 2_500
