"""The tools and prompts of the MCP server: descriptions, ids with their type, errors that help to correct a call."""

from __future__ import annotations

import pytest

from api.about import NOTICE
from api.errors import DeadlineError, InvalidError, NotFoundError, ServiceError
from api.mcp.descriptions import DESCRIPTIONS, INSTRUCTIONS, PROMPTS
from api.mcp.tools import TOOLS, error_text, split_id
from api.parameters import MAX_QUERY_LENGTH
from api.result import list_nearest

PLAN = PROMPTS["plan_accommodations"]
LOW_VISION = {"id": "disability:low-vision", "name": "Low Vision"}


def test_every_tool_has_a_description() -> None:
    assert list(DESCRIPTIONS) == list(TOOLS)
    assert all(name == tool.name for name, tool in TOOLS.items())


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


@pytest.mark.parametrize(
    ("entity_id", "kind", "expected"),
    [
        ("disability:low-vision", None, ("disability", "low-vision")),
        ("disability:low-vision", "disability", ("disability", "low-vision")),
        (" low-vision ", "disability", ("disability", "low-vision")),
        ("11-1011.00", "occupation", ("occupation", "11-1011.00")),
        ("a:b", "solution", ("solution", "a:b")),
    ],
)
def test_the_type_is_part_of_the_id_or_an_argument(entity_id: str, kind: str | None, expected: tuple[str, str]) -> None:
    assert split_id(entity_id, kind) == expected


@pytest.mark.parametrize(
    ("entity_id", "kind", "message"),
    [
        ("low-vision", None, "id: 'low-vision' has no type."),
        ("dragon:smaug", None, "id: 'dragon:smaug' has no type."),
        ("limitation:a", "disability", "id: 'limitation:a' is a limitation; this tool needs a disability"),
        ("ability:a", "workrelatedfunction", "id: 'ability:a' is an ability; this tool needs a work-related function."),
    ],
)
def test_an_id_without_a_type_or_of_another_type_is_rejected(entity_id: str, kind: str | None, message: str) -> None:
    with pytest.raises(InvalidError) as error:
        split_id(entity_id, kind)
    assert error.value.detail.startswith(message)


BY_NAME = "search_accommodations finds ids by name."
NO_NEAREST = f"unknown limitation 'q'; nearest: {list_nearest([])}"
UNKNOWN = [
    {"msg": "unknown disability 'low'; nearest: Low Vision", "ctx": {"nearest": [LOW_VISION]}},
    {"msg": NO_NEAREST, "ctx": {"nearest": []}},
]
UNKNOWN_EDGE = {"msg": "unknown edge 'a'; valid: b", "ctx": {"nearest": "b"}}
TEXTS: list[tuple[ServiceError, list[str]]] = [
    (
        NotFoundError("There is no disability 'low'. Nearest: disability:low-vision.", suggestions=[LOW_VISION]),
        [f"There is no disability 'low'. Nearest: Low Vision [disability:low-vision]. {BY_NAME}"],
    ),
    (NotFoundError("There is no disability 'x'."), [f"There is no disability 'x'. {BY_NAME}"]),
    (InvalidError([UNKNOWN_EDGE]), ["unknown edge 'a'; valid: b"]),
    (
        InvalidError(UNKNOWN),
        [
            "unknown disability 'low'. Nearest: Low Vision [disability:low-vision].",
            "unknown limitation 'q'. search_accommodations finds ids by other words.",
        ],
    ),
    (
        DeadlineError("Please try again."),
        ["Deadline passed: Please try again. The data was not searched; this is not an empty result."],
    ),
]


@pytest.mark.parametrize(("error", "lines"), TEXTS, ids=lambda value: str(value)[:40])
def test_an_error_says_how_to_correct_the_call(error: ServiceError, lines: list[str]) -> None:
    assert error_text(error).splitlines() == lines


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
