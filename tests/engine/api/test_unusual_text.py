"""Text that nobody types on purpose, on the shipped graph: 200 or a clear 4xx, never a 5xx."""

import unicodedata

import httpx
import pytest

from api.models import MAX_QUESTION_LENGTH
from api.parameters import MAX_QUERY_LENGTH

WORDS = " ".join(["word"] * 500)
LONG = "wheelchair" * 1_000  # 10,000 characters

READ = {  # texts that are read: what each is, and a first hit if it names one
    "as many words as fit": ("a " * (MAX_QUERY_LENGTH // 2), None),
    "Arabic": ("كرسي متحرك", None),
    "Hebrew": ("כיסא גלגלים", None),
    "right-to-left override": ("\u202ewheelchairs\u202c", "solution:wheelchairs"),
    "Arabic beside English": ("wheelchairs كرسي", "solution:wheelchairs"),
    "decomposed letters": (unicodedata.normalize("NFD", "Ménière disease"), "disability:menieres-disease"),
    "many combining characters": ("z" + "\u0301" * 400, None),
    "only combining characters": ("\u0301\u0489" * 100, None),
    "emoji": ("👩‍🦽", None),
    "emoji beside a word": ("👩🏽‍🦽 wheelchairs 🦽", "solution:wheelchairs"),
    "flags": ("🇺🇸🏴󠁧󠁢󠁥󠁮󠁧󠁿" * 20, None),
    "no width": ("\u200bwheelchairs\u2060", "solution:wheelchairs"),
    "byte order mark": ("\ufeff", None),
    "letters that unfold to many": ("\ufdfa" * 300, None),
    "replacement characters": ("\ufffd" * 50, None),
    "non-characters": ("\uffff\U0010ffff", None),
}
CONTROL_CHARACTERS = ["\x00", "\x00wheelchair\x07", "\x1b[31m", "wheel\x08chair", "\x7f", "\x85"]


@pytest.mark.parametrize(("text", "first"), READ.values(), ids=READ)
async def test_unusual_text_is_read(real_service: httpx.AsyncClient, text: str, first: str | None) -> None:
    found = await real_service.get("/search", params={"query": text})
    assert found.status_code == 200, found.text
    assert first is None or found.json()["results"][0]["id"] == first
    completed = await real_service.get("/suggest", params={"query": text})
    assert completed.status_code == 200, completed.text
    recommended = await real_service.post("/recommend", json={"question": text})
    assert recommended.status_code in {200, 422}, recommended.text
    page = await real_service.get("/explore/search", params={"query": text})
    assert page.status_code == 200, page.text


@pytest.mark.parametrize("path", ["/search", "/suggest"])
async def test_a_query_that_is_too_long_is_an_error_with_the_limit(real_service: httpx.AsyncClient, path: str) -> None:
    words = await real_service.get(path, params={"query": WORDS})
    (problem,) = words.json()["detail"]
    assert (words.status_code, problem["type"]) == (422, "string_too_long")
    assert problem["msg"] == f"String should have at most {MAX_QUERY_LENGTH} characters"
    longer = await real_service.get(path, params={"query": LONG})  # its address is too long already
    assert (longer.status_code, longer.json()["detail"]) == (414, "Path and query may have at most 8192 bytes.")


async def test_a_question_may_have_500_words_and_not_10_000_characters(real_service: httpx.AsyncClient) -> None:
    letter = f"I have dyslexia. {WORDS}"
    response = await real_service.post("/recommend", json={"question": letter})
    assert response.status_code == 200, response.text
    assert [seed["entity"]["id"] for seed in response.json()["seeds"]][:1] == ["disability:dyslexia"]
    longer = await real_service.post("/recommend", json={"question": LONG})
    (problem,) = longer.json()["detail"]
    assert (longer.status_code, problem["type"], problem["loc"]) == (422, "string_too_long", ["body", "question"])
    assert problem["msg"] == f"String should have at most {MAX_QUESTION_LENGTH} characters"


@pytest.mark.parametrize("text", CONTROL_CHARACTERS)
async def test_control_characters_are_an_error_that_names_them(real_service: httpx.AsyncClient, text: str) -> None:
    code = next(f"U+{ord(letter):04X}" for letter in text if unicodedata.category(letter) == "Cc")
    responses = [
        await real_service.get("/search", params={"query": text}),
        await real_service.get("/suggest", params={"query": text}),
        await real_service.post("/recommend", json={"question": text}),
    ]
    for response in responses:
        assert response.status_code == 422, response.text
        assert code in response.json()["detail"][0]["msg"]
