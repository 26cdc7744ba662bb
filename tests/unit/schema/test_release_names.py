"""Names of aliases and indices say which format their releases have."""

import pytest

from schema.release_names import FORMAT_VERSION, format_of_alias, format_of_index, index_alias


@pytest.mark.parametrize(("number", "alias"), [(0, "akg-entities"), (1, "akg-entities-f1"), (12, "akg-entities-f12")])
def test_an_index_alias_has_the_format(number: int, alias: str) -> None:
    assert index_alias("akg-entities", number) == alias
    assert format_of_alias("akg-entities", alias) == number
    assert format_of_index("akg-entities", f"{alias}-20260101t000000z") == number


def test_this_version_has_a_format() -> None:
    assert index_alias("staging") == f"staging-f{FORMAT_VERSION}"


@pytest.mark.parametrize(
    "index",
    [
        "akg-entities",
        "akg-entities-f1",
        "akg-entities-f01-20260101t000000z",
        "akg-entities-f0-20260101t000000z",
        "akg-entities-fx-20260101t000000z",
        "akg-entities-f1-20260101",
        "akg-entities-f1-aside-20260101t000000z",
        "akg-entities-aside-20260101t000000z",
        "akg-entities-staging-20260101t000000z",
        "akg-entities-staging-f1-20260101t000000z",
        "akg-20260101t000000z",
    ],
)
def test_other_names_are_not_of_a_release(index: str) -> None:
    assert format_of_index("akg-entities", index) is None
