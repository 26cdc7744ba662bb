"""Sides, exclusions, cautions and rules of jobs: their rows, and every error that editors can make in them."""

import pytest

from indexer.content.guidance_rows import Caution, ConditionSide, Exclusion, Guidance, JobRule, NeedSide, SolutionSide
from indexer.content.rows import parse_content
from indexer.content.table_checks import check_files
from tests.support.world_files import VOCABULARY, Errors, problems, world_with

NEEDS, SOLUTIONS, CONDITIONS = "need_sides.csv", "solution_sides.csv", "condition_sides.csv"
EXCLUSIONS, CAUTIONS, RULES = "not_for.csv", "cautions.csv", "job_rules.csv"
PAGE = "https://pages.example.org/rules"
FATIGUE, VISION = "limitation:decreased-stamina-fatigue", "limitation:low-vision"
SITED = f"A page,{PAGE},2018-07,2026-11-25"
TABLES = {
    NEEDS: "need,side,opposites,label,words,basis,sources\n"
    f"{VISION},bright,dim,bright light,too bright|glare,editorial,editors\n"
    f"{VISION},dim,bright,too little light,too dark,editorial,editors\n"
    f"{FATIGUE},standing,,standing,,editorial,editors\n",
    SOLUTIONS: "solution,need,serves,worsens,basis,sources\n"
    f"screen-magnification-software,{VISION},dim,bright,editorial,editors\n",
    CONDITIONS: "disability,need,side,occurs,basis,page,sources\n"
    f"low-vision,{VISION},bright,both,source,{PAGE},pages\n"
    f"optic-neuritis,{VISION},dim,one,editorial,,editors\n",
    EXCLUSIONS: "solution,concerns,effect,reason,basis,page,sources\n"
    "telework,disability:low-vision|occupation:15-1,useless,It is no use.,editorial,,editors\n",
    CAUTIONS: "solution,concerns,severity,text,source_title,source_url,as_of,read\n"
    f",disability:low-vision,must,Ask first.,{SITED}\n"
    f"telework,{FATIGUE}|occupation:15-1252,should,Take breaks.,{SITED}\n",
    RULES: "occupations,concerns,text,source_title,source_url,as_of,read\n"
    f"15-1|15-1252,{VISION},Ask an examiner.,{SITED}\n",
}

ERRORS: Errors = {
    "word of two sides": (NEEDS, "too dark", "Glare",
        "need_sides.csv:3: word 'Glare' is one of the side 'bright' too, on line 2"),
    "unknown opposite": (NEEDS, "dim,bright,too little", "dim,brigt,too little",
        "need_sides.csv:2: 'dim' is an opposite of 'bright', but not the other way round",
        "need_sides.csv:3: unknown side 'brigt'; nearest: 'bright'"),
    "opposite of itself": (NEEDS, "standing,,standing", "standing,standing,standing",
        "need_sides.csv:4: 'standing' is an opposite of 'standing', but not the other way round"),
    "another label": (NEEDS, f"{FATIGUE},standing,,standing,", f"{FATIGUE},dim,bright,dusk,",
        "need_sides.csv:4: label of 'dim' is 'too little light' on line 3"),
    "side that the need does not have": (SOLUTIONS, ",dim,bright,", ",dimm,bright,",
        f"solution_sides.csv:2: unknown side 'dimm' of '{VISION}'; nearest: 'dim'; its sides: bright, dim"),
    "need without sides": (SOLUTIONS, VISION, "limitation:memory-loss",
        "solution_sides.csv:2: unknown side 'bright' of 'limitation:memory-loss', which has no sides",
        "solution_sides.csv:2: unknown side 'dim' of 'limitation:memory-loss', which has no sides"),
    "both served and made worse": (SOLUTIONS, ",dim,bright,", ",dim,dim,",
        "solution_sides.csv:2: 'dim' is both in 'serves' and in 'worsens'"),
    "no side": (SOLUTIONS, ",dim,bright,", ",,,",
        "solution_sides.csv:2: 'serves' and 'worsens' are both empty"),
    "unknown solution": (SOLUTIONS, "screen-magnification", "screen-magnifying",
        ("solution_sides.csv:2: unknown solution 'screen-magnifying-software'; nearest: "
         "'screen-magnification-software'")),
    "sides that contradict each other": (CONDITIONS, "optic-neuritis,", "low-vision,",
        "condition_sides.csv:3: 'dim' contradicts 'bright' on line 2"),
    "neither one nor both": (CONDITIONS, "dim,one", "dim,ones",
        "condition_sides.csv:3: 'occurs' is 'ones'; nearest: 'one'"),
    "unknown concern": (EXCLUSIONS, "disability:low-vision|", "disability:low-visoin|",
        "not_for.csv:2: unknown disability 'low-visoin'; nearest: 'low-vision'"),
    "job that does not exist": (EXCLUSIONS, "occupation:15-1", "occupation:99",
        "not_for.csv:2: no occupation has a code that begins with '99'"),
    "unknown severity": (CAUTIONS, "must", "mus", "cautions.csv:2: 'severity' is 'mus'; nearest: 'must'"),
    "caution without a source": (CAUTIONS, f"Ask first.,A page,{PAGE}", "Ask first.,A page,",
        "cautions.csv:2: 'source_url' is empty"),
    "no full stop": (CAUTIONS, "Take breaks.", "Take breaks",
        "cautions.csv:3: 'text' does not end with a full stop"),
    "too long": (CAUTIONS, "Ask first.", "Ask " * 40 + "first.",
        "cautions.csv:2: 'text' has 166 characters; at most 160"),
    "no such day": (RULES, "2026-11-25", "2026-11-31",
        ("job_rules.csv:2: 'read' is '2026-11-31', not a date such as 2026-01-31, a year such as 2026, "
         "or 'unknown'")),
    "threshold": (RULES, "Ask an examiner.", "Vision of 20/40 counts (49 CFR 391.41). Ask an examiner.",
        "job_rules.csv:2: '20/40' is a threshold; point to the standard instead"),
    "outcome": (RULES, "Ask an examiner.", "They may not drive. Ask an examiner.",
        "job_rules.csv:2: 'may not' states an outcome; say whom to ask instead"),
    "code that no job has": (RULES, "15-1|15-1252", "15-1|16",
        "job_rules.csv:2: no occupation has a code that begins with '16'"),
}  # fmt: skip


def test_valid_tables_have_no_problems() -> None:
    assert problems({}, world_with(TABLES)) == []


@pytest.mark.parametrize("name", ERRORS)
def test_reports_an_error_with_its_line_and_the_nearest_value(name: str) -> None:
    file, old, new, *expected = ERRORS[name]
    assert TABLES[file].count(old) == 1
    assert problems({file: TABLES[file].replace(old, str(new)).encode()}, world_with(TABLES)) == expected


def test_an_exclusion_must_not_be_a_first_choice() -> None:
    excluded = TABLES[EXCLUSIONS].replace("telework,disability:low-vision", "checklists,limitation:memory-loss")
    assert problems({EXCLUSIONS: excluded.encode()}, world_with(TABLES)) == [
        "not_for.csv:2: 'checklists' is a first choice for 'limitation:memory-loss' in world/first_choices.csv:2"
    ]


def test_rows_have_full_ids() -> None:
    tables = check_files("world", world_with(TABLES), VOCABULARY).tables
    editors, low_vision = ("editors",), "disability:low-vision"
    assert parse_content(tables, "1.0.0+0").guidance == Guidance(
        need_sides=(
            NeedSide(VISION, "bright", ("dim",), "bright light", ("too bright", "glare"), "editorial", editors),
            NeedSide(VISION, "dim", ("bright",), "too little light", ("too dark",), "editorial", editors),
            NeedSide(FATIGUE, "standing", (), "standing", (), "editorial", editors),
        ),
        solution_sides=(
            SolutionSide("solution:screen-magnification-software", VISION, ("dim",), ("bright",), "editorial", editors),
        ),
        condition_sides=(
            ConditionSide(low_vision, VISION, "bright", "both", "source", PAGE, ("pages",)),
            ConditionSide("disability:optic-neuritis", VISION, "dim", "one", "editorial", "", editors),
        ),
        exclusions=(
            Exclusion(
                "solution:telework",
                (low_vision, "occupation:15-1"),
                "useless",
                "It is no use.",
                "editorial",
                "",
                editors,
            ),
        ),
        cautions=(
            Caution("", (low_vision,), "must", "Ask first.", *SITED.split(",")),
            Caution("solution:telework", (FATIGUE, "occupation:15-1252"), "should", "Take breaks.", *SITED.split(",")),
        ),
        job_rules=(JobRule(("15-1", "15-1252"), (VISION,), "Ask an examiner.", *SITED.split(",")),),
    )
