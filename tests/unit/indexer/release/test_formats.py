"""Messages about releases of other formats."""

from indexer.release.formats import no_earlier_release, no_live_release, other_formats_notice, wrong_format


def test_a_release_of_another_format_is_rejected_with_what_to_do() -> None:
    assert wrong_format("akg-entities-20260101t000000z", 0) == (
        "akg-entities-20260101t000000z has format 0; this program reads format 5. Use the version of the program that "
        "wrote it, or build a release with `akg index build`."
    )


def test_a_missing_release_names_the_other_formats() -> None:
    assert no_live_release(()) == "No release is live. Build one with `akg index build`."
    assert no_live_release((0, 1)) == (
        "No release is live. This program reads format 5, and there are only releases of format 0, 1. "
        "Build one with `akg index build`."
    )


def test_nothing_to_roll_back_to_names_the_other_formats() -> None:
    assert no_earlier_release(()) == "There is no earlier complete release to roll back to."
    assert no_earlier_release((0,)) == (
        "There is no earlier complete release to roll back to. Releases of format 0 are read by other versions of the "
        "service: run one of these to return to them."
    )


def test_the_notice_counts_releases_and_says_how_to_delete_them() -> None:
    assert other_formats_notice({}) == ""
    assert other_formats_notice({0: ["a", "b"], 2: ["c"]}) == (
        "Releases of other formats, which this program does not change: 2 of format 0, 1 of format 2. Once no service "
        "of that version runs, `akg index prune --format 0` deletes them."
    )
