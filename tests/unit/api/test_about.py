"""The notice of every response."""

from api import about, models


def test_the_notice_says_that_results_are_not_advice() -> None:
    notice = about.notice("https://advice.example.org/")
    assert (notice["kind"], notice["url"]) == ("informational", "https://advice.example.org/")
    assert "not legal, medical or HR advice" in notice["text"]
    models.Notice.model_validate(notice)
