"""One example row for each table of an overlay. Together they are a valid overlay of the shipped content."""

from collections.abc import Mapping

EXAMPLES: Mapping[str, Mapping[str, str]] = {
    "source": {
        "id": "example-university",
        "title": "Loan pool of Example University",
        "publisher": "Disability Services, Example University",
        "url": "https://example.org/loans",
        "licence": "CC BY 4.0",
        "licence_url": "https://creativecommons.org/licenses/by/4.0/",
        "attribution": "From the loan pool of Example University.",
        "retrieved": "2026-11-01",
    },
    "changes": {
        "id": "solution:copies-of-notes",
        "short": "Notes of the lecture, sent by the office after each class.",
    },
    "hidden": {"id": "product:livescribe-sky-smartpen", "reason": "not allowed in exams here"},
    "solutions": {
        "slug": "equipment-loan",
        "name": "Equipment Loan",
        "kind": "service",
        "settings": "school|testing",
        "short": "A device to borrow for a term, free of charge.",
    },
    "products": {
        "slug": "loan-smartpen",
        "name": "Smartpen to Borrow",
        "category": "Smart pen",
        "family": "assistive",
        "short": "A pen that records a lecture while you write.",
    },
    "vendors": {"slug": "loan-pool", "name": "Loan Pool", "short": "Lends devices to students, in Room 120."},
    "disabilities": {
        "slug": "zoom-fatigue",
        "name": "Fatigue from Video Calls",
        "short": "Tiredness after hours of video calls.",
    },
    "narrower_conditions": {"slug": "teaching-fatigue", "name": "Fatigue from Teaching by Video"},
    "limitations": {
        "slug": "long-screen-time",
        "name": "Long Screen Time",
        "group": "vision",
        "short": "Trouble with looking at a screen for hours.",
    },
    "workrelatedfunctions": {
        "slug": "give-lectures",
        "name": "Give Lectures",
        "short": "Speaking to a room of students for an hour or more.",
    },
    "occupations": {
        "code": "99-0001.00",
        "slug": "campus-tour-guide",
        "name": "Campus Tour Guide",
        "short": "Walks visitors over the campus and answers questions.",
    },
    "aliases": {"entity": "product:loan-smartpen", "text": "loaner pen", "kind": "lay"},
    "solution_products": {
        "solution": "equipment-loan",
        "product": "loan-smartpen",
        "reason": "it is lent by the office",
    },
    "product_vendors": {"product": "loan-smartpen", "vendor": "loan-pool"},
    "recommendations": {
        "disability": "low-vision",
        "via": "limitation:low-vision",
        "solution": "equipment-loan",
    },
    "school_recommendations": {"entity": "limitation:note-taking", "solution": "equipment-loan"},
    "disability_limitations": {"disability": "zoom-fatigue", "limitation": "long-screen-time"},
    "disability_functions": {"disability": "zoom-fatigue", "function": "give-lectures"},
    "broader": {"entity": "disability:teaching-fatigue", "broader": "disability:zoom-fatigue"},
    "limitation_abilities": {
        "limitation": "long-screen-time",
        "ability": "1.A.4.a.1",
        "strength": "0.5",
        "reason": "Near vision tires first.",
    },
    "occupation_abilities": {
        "occupation": "99-0001.00",
        "ability": "1.A.1.a.3",
        "importance": "4",
        "level": "4",
    },
    "related_occupations": {
        "occupation": "99-0001.00",
        "related": "39-7011.00",
        "tier": "primary-short",
        "rank": "1",
    },
}
