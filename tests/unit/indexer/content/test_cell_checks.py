"""Every error in the cells, keys and references of a table, with its exact message."""

from __future__ import annotations

import pytest

from tests.support.world_files import Errors, problems, replaced

ERRORS: Errors = {
    # types and limits
    "not an integer": ("related_occupations.csv", "primary-short,1,", "primary-short,first,",
        "related_occupations.csv:2: 'rank' is 'first', not an integer"),
    "not a number": ("occupation_abilities.csv", "3.12,3.25", "nan,3.25",
        "occupation_abilities.csv:2: 'importance' is 'nan', not a number such as 3.25"),
    "not a date": ("sources.csv", "2026-02-20", "2026-02-30",
        "sources.csv:4: 'retrieved' is '2026-02-30', not a date such as 2026-01-31"),
    "not an address": ("vendors.csv", "https://fair.example.org/quiet-works", "fair.example.org",
        "vendors.csv:3: 'url' is 'fair.example.org', not an address such as https://example.org/"),
    "importance too high": ("occupation_abilities.csv", "3.12,3.25", "5.5,3.25",
        "occupation_abilities.csv:2: 'importance' is 5.5; it must be at most 5"),
    "importance too low": ("occupation_abilities.csv", "3.12,3.25", "0,3.25",
        "occupation_abilities.csv:2: 'importance' is 0; it must be at least 1"),
    "level too high": ("occupation_abilities.csv", "3.12,3.25", "3.12,7.1",
        "occupation_abilities.csv:2: 'level' is 7.1; it must be at most 7"),
    "level too low": ("occupation_abilities.csv", "3.12,3.25", "3.12,-1",
        "occupation_abilities.csv:2: 'level' is -1; it must be at least 0"),
    "no strength": ("limitation_abilities.csv", ",0.9,", ",0,",
        "limitation_abilities.csv:3: 'strength' is 0; it must be more than 0"),
    "too much strength": ("limitation_abilities.csv", ",0.9,", ",1.01,",
        "limitation_abilities.csv:3: 'strength' is 1.01; it must be at most 1"),
    "value not in the list": ("aliases.csv", "ADHD,abbreviation", "ADHD,abbrev",
        "aliases.csv:2: 'kind' is 'abbrev'; nearest: 'abbreviation'"),
    "value like none in the list": ("products.csv", "Hearing,ergonomic", "Hearing,toy",
        "products.csv:3: 'family' is 'toy'; valid: 'assistive', 'ergonomic', 'mainstream', 'protective'"),
    "bad slug": ("vendors.csv", "quiet-works,Quiet Works,Makes", "Quiet_Works,Quiet Works,Makes",
        "product_vendors.csv:2: unknown vendor 'quiet-works'; nearest: 'Quiet_Works'",
        "product_vendors.csv:3: unknown vendor 'quiet-works'; nearest: 'Quiet_Works'",
        "vendors.csv:3: 'slug' is 'Quiet_Works', which does not match [a-z0-9]+(-[a-z0-9]+)*; nearest: 'quiet-works'"),
    "bad code": ("occupations.csv", "15-1252.00,", "53-99,pilots,Pilots,4,,jobbook\n15-1252.00,",
        "occupations.csv:2: 'code' is '53-99', which does not match [0-9]{2}-[0-9]{4}\\.[0-9]{2}"),
    "empty name": ("vendors.csv", "Quiet Works,", ",", "vendors.csv:3: 'name' is empty"),
    "blank name": ("vendors.csv", "Quiet Works,", "  ,", "vendors.csv:3: 'name' is blank"),
    "leading whitespace": ("vendors.csv", "Quiet Works,", " Quiet Works,",
        "vendors.csv:3: 'name' has leading whitespace; write 'Quiet Works'"),
    "trailing whitespace": ("vendors.csv", "Quiet Works,", "Quiet Works ,",
        "vendors.csv:3: 'name' has trailing whitespace; write 'Quiet Works'"),
    "double whitespace": ("vendors.csv", "Quiet Works,", "Quiet  Works,",
        "vendors.csv:3: 'name' has double whitespace; write 'Quiet Works'"),
    "no-break space": ("vendors.csv", "Quiet Works,", "Quiet\N{NO-BREAK SPACE}Works,",
        "vendors.csv:3: 'name' has unusual (U+00A0) whitespace; write 'Quiet Works'"),
    "invisible character": ("vendors.csv", "Quiet Works,", "Quiet\N{ZERO WIDTH SPACE}Works,",
        "vendors.csv:3: 'name' contains the invisible character U+200B"),
    "short too long": ("vendors.csv", "Makes tools for calm and ordered work.", "Makes tools. " * 15 + "Makes them.",
        "vendors.csv:3: 'short' has 206 characters; the maximum is 200"),
    # keys
    "duplicate slug": ("vendors.csv", "quiet-works,Quiet", "brightline-access,Light,,,fair\nquiet-works,Quiet",
        "vendors.csv:3: duplicate slug: 'brightline-access'; first on line 2"),
    "duplicate code": ("abilities.csv", "1.A.4.a.1,", "1.A.3.b.1,breath,Breath,physical,,jobbook\n1.A.4.a.1,",
        "abilities.csv:4: duplicate code: '1.A.3.b.1'; first on line 3"),
    "duplicate row": ("disability_limitations.csv", "low-vision,blind,editors", "low-vision,low-vision,editors",
        "disability_limitations.csv:7: duplicate disability, limitation: 'low-vision', 'low-vision'; first on line 6"),
    "duplicate redirect": ("redirects.csv", "solution:working-from-home", "disability:add",
        "redirects.csv:3: duplicate old: 'disability:add'; first on line 2"),
    # references
    "unknown reference": ("product_vendors.csv", "hushband-headset", "hushband-headsets",
        "product_vendors.csv:3: unknown product 'hushband-headsets'; nearest: 'hushband-headset'"),
    "slug in place of a code": ("occupation_titles.csv", "15-1252.00", "software-developers",
        "occupation_titles.csv:2: unknown occupation 'software-developers'; nearest: '15-1252.00'"),
    "unknown entity": ("aliases.csv", "disability:crohns-disease", "disability:crohn-disease",
        "aliases.csv:4: unknown disability 'crohn-disease'; nearest: 'crohns-disease'"),
    "unknown type": ("aliases.csv", "disability:crohns-disease", "disabilty:crohns-disease",
        "aliases.csv:4: unknown type 'disabilty' in 'disabilty:crohns-disease'; nearest: 'disability'"),
    "no type": ("aliases.csv", "disability:crohns-disease", "crohns-disease",
        "aliases.csv:4: 'entity' is 'crohns-disease', not of the form type:key; nearest: 'disability:crohns-disease'"),
    "no key": ("aliases.csv", "disability:crohns-disease", "disability:",
        "aliases.csv:4: 'entity' is 'disability:'; the key after the colon is missing"),
    "wrong type for an edge": ("recommendations.csv", "workrelatedfunction:communicate", "solution:telework",
        "recommendations.csv:7: 'solution:telework' is a solution; 'via' accepts limitation or workrelatedfunction"),
    "pair that an edge does not connect": ("broader.csv", "disability:multiple-sclerosis", "limitation:low-vision",
        ("broader.csv:2: broader connects disability to disability or limitation to limitation, not disability to "
         "limitation")),
    "unknown source": ("aliases.csv", "ADHD,abbreviation,atlas", "ADHD,abbreviation,atlass",
        "aliases.csv:2: unknown source 'atlass'; nearest: 'atlas'"),
    "product without a source": ("products.csv", "hushband,fair", "hushband,",
        "products.csv:3: product without a source"),
    "relation without a source": ("product_vendors.csv", "headset,quiet-works,fair", "headset,quiet-works,",
        "product_vendors.csv:3: sold_by relation without a source"),
    "duplicate source": ("aliases.csv", "atlas|editors", "atlas|atlas",
        "aliases.csv:11: 'sources' lists 'atlas' twice"),
    "empty source": ("aliases.csv", "atlas|editors", "atlas|",
        "aliases.csv:11: 'sources' has an empty value next to '|'"),
    "whitespace around a source": ("aliases.csv", "atlas|editors", "atlas | editors",
        "aliases.csv:11: 'sources' has whitespace next to '|'; write 'atlas'",
        "aliases.csv:11: 'sources' has whitespace next to '|'; write 'editors'"),
}  # fmt: skip


@pytest.mark.parametrize("name", ERRORS)
def test_reports_an_error_with_its_line_and_the_nearest_value(name: str) -> None:
    file, old, new, *expected = ERRORS[name]
    assert problems({file: replaced(file, old, new)}) == expected
