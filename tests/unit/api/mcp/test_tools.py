"""The tools of the MCP server: ids with their type, and errors that help to correct a call."""

import pytest

from api.errors import DeadlineError, InvalidError, NotFoundError, ServiceError
from api.mcp.descriptions import DESCRIPTIONS
from api.mcp.tools import TOOLS, error_text, parse_id
from api.result import list_nearest

LOW_VISION = {"id": "disability:low-vision", "name": "Low Vision"}


def test_every_tool_has_a_description() -> None:
    assert list(DESCRIPTIONS) == list(TOOLS)
    assert all(name == tool.name for name, tool in TOOLS.items())


@pytest.mark.parametrize(
    ("entity_id", "kind", "expected"),
    [
        ("disability:low-vision", None, ("disability", "low-vision")),
        ("disability:low-vision", "disability", ("disability", "low-vision")),
        (" low-vision ", "disability", ("disability", "low-vision")),
        ('"Disability:Low-Vision"', None, ("disability", "Low-Vision")),
        ("11-1011.00", "occupation", ("occupation", "11-1011.00")),
        ("a:b", "solution", ("solution", "a:b")),
        ("low vision", None, ("", "low vision")),
    ],
)
def test_the_type_is_part_of_the_id_or_an_argument(entity_id: str, kind: str | None, expected: tuple[str, str]) -> None:
    reference = parse_id(entity_id, kind)
    assert (reference.type, reference.query.raw) == expected


@pytest.mark.parametrize(
    ("entity_id", "kind", "message"),
    [
        ("limitation:a", "disability", "id: 'limitation:a' is a limitation; this tool needs a disability"),
        ("ability:a", "workrelatedfunction", "id: 'ability:a' is an ability; this tool needs a work-related function."),
    ],
)
def test_an_id_of_another_type_is_rejected(entity_id: str, kind: str | None, message: str) -> None:
    with pytest.raises(InvalidError) as error:
        parse_id(entity_id, kind)
    assert error.value.detail.startswith(message)


BY_NAME = "search_accommodations finds ids by name."
NO_NEAREST = f"unknown limitation 'q'; nearest: {list_nearest([])}"
UNKNOWN = [
    {"loc": ["id"], "msg": "unknown disability 'low'; nearest: Low Vision", "ctx": {"nearest": [LOW_VISION]}},
    {"loc": ["id"], "msg": NO_NEAREST, "ctx": {"nearest": []}},
]
UNKNOWN_EDGE = {"loc": ["edge"], "msg": "unknown edge 'a'; valid: b", "ctx": {"nearest": "b"}}
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
