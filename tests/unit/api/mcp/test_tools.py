"""The tools and prompts of the MCP server: descriptions, ids with their type, errors that help to correct a call."""

from __future__ import annotations

import pytest

from api.about import NOTICE
from api.errors import DeadlineError, InvalidError, NotFoundError, ServiceError
from api.mcp.descriptions import DESCRIPTIONS, INSTRUCTIONS, MAX_ARGUMENT_LENGTH, PROMPTS
from api.mcp.tools import TOOLS, error_text, split_id
from api.result import list_nearest

PLAN = PROMPTS["plan_accommodations"]
LOW_VISION = {"id": "disability:low-vision", "name": "Low Vision"}


def test_every_tool_has_its_words_and_no_words_are_left_over() -> None:
    assert list(DESCRIPTIONS) == list(TOOLS)
    assert all(name == tool.name for name, tool in TOOLS.items())


@pytest.mark.parametrize("name", DESCRIPTIONS)
def test_a_description_says_what_when_what_comes_back_and_what_next(name: str) -> None:
    words = DESCRIPTIONS[name]
    assert all(part.endswith(".") for part in (words.does, words.use_when, words.returns, words.then))
    assert words.title
    assert not words.title.endswith(".")
    assert 200 < len(words.description) < 1_000
    mentioned = [other for other in TOOLS if other in words.then]
    assert mentioned, "what to call next is a tool"


def test_the_instructions_name_tools_that_exist_and_carry_the_notice() -> None:
    assert "search_accommodations" in INSTRUCTIONS
    assert "recommend_accommodations" in INSTRUCTIONS
    assert "not legal, medical or HR advice" in INSTRUCTIONS
    assert len(INSTRUCTIONS) < 2_000


@pytest.mark.parametrize(
    ("given", "kind", "expected"),
    [
        ("disability:low-vision", None, ("disability", "low-vision")),
        ("disability:low-vision", "disability", ("disability", "low-vision")),
        (" low-vision ", "disability", ("disability", "low-vision")),
        ("11-1011.00", "occupation", ("occupation", "11-1011.00")),
        ("a:b", "solution", ("solution", "a:b")),
    ],
)
def test_an_id_names_its_type_or_has_it_beside_it(given: str, kind: str | None, expected: tuple[str, str]) -> None:
    assert split_id(given, kind) == expected


@pytest.mark.parametrize(
    ("given", "kind", "text"),
    [
        ("low-vision", None, "id: 'low-vision' has no type."),
        ("dragon:smaug", None, "id: 'dragon:smaug' has no type."),
        (
            "limitation:low-vision",
            "disability",
            "id: 'limitation:low-vision' is a limitation; this tool needs a disability",
        ),
    ],
)
def test_an_id_without_its_type_is_refused(given: str, kind: str | None, text: str) -> None:
    with pytest.raises(InvalidError) as refused:
        split_id(given, kind)
    assert refused.value.detail.startswith(text)


BY_NAME = "search_accommodations finds ids by name."
UNKNOWN = [
    {
        "loc": ["body", "disability"],
        "msg": "no disability is called 'low'; nearest: Low Vision",
        "ctx": {"nearest": [LOW_VISION]},
    },
    {
        "loc": ["body", "limitation"],
        "msg": f"no limitation is called 'q'; nearest: {list_nearest([])}",
        "ctx": {"nearest": []},
    },
]
UNKNOWN_EDGE = {"loc": ["query", "edge"], "msg": "unknown edge 'a'; valid: b", "ctx": {"nearest": "b"}}
MENDED: list[tuple[ServiceError, list[str]]] = [
    (
        NotFoundError("There is no disability 'low'. Nearest: disability:low-vision.", suggestions=[LOW_VISION]),
        [f"There is no disability 'low'. Nearest: Low Vision [disability:low-vision]. {BY_NAME}"],
    ),
    (NotFoundError("There is no disability 'x'."), [f"There is no disability 'x'. {BY_NAME}"]),
    (InvalidError([UNKNOWN_EDGE]), ["unknown edge 'a'; valid: b"]),
    (
        InvalidError(UNKNOWN),
        [
            "no disability is called 'low'. Nearest: Low Vision [disability:low-vision].",
            "no limitation is called 'q'. search_accommodations finds ids by other words.",
        ],
    ),
    (
        DeadlineError("Please try again."),
        ["Deadline passed: Please try again. The data was not searched; this is not an empty result."],
    ),
]


@pytest.mark.parametrize(("error", "text"), MENDED, ids=lambda value: str(value)[:40])
def test_an_error_says_how_to_mend_the_call(error: ServiceError, text: list[str]) -> None:
    assert error_text(error).splitlines() == text


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
