"""Names of types in sentences."""

from schema.entity_kinds import type_noun


def test_a_type_of_several_words_is_written_as_such() -> None:
    names = [type_noun(name) for name in ("workrelatedfunction", "work_function", "limitation")]
    assert names == ["work-related function", "work-related function", "limitation"]
