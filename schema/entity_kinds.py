"""Closed sets of names that tables, documents and responses share. Tests compare them with `vocabulary.json`."""

from typing import Literal, get_args

TypeName = Literal[
    "disability", "limitation", "workrelatedfunction", "solution", "product", "vendor", "occupation", "ability"
]
EdgeName = Literal[
    "has_limitation", "limitation_of", "affects", "affected_by", "recommends", "recommended_for",
    "implemented_by", "implements", "sold_by", "sells", "requires", "required_by",
    "related_occupation", "related_occupation_of", "limits", "limited_by", "broader", "narrower",
]  # fmt: skip
Basis = Literal["source", "derived", "inherited", "editorial"]
ConditionKind = Literal["main", "narrower"]
SettingName = Literal["work", "school", "testing"]
Matching = Literal["strict", "loose"]
Severity = Literal["must", "should"]
Occurs = Literal["one", "both"]
Course = Literal["acute", "episodic", "lasting"]

ENTITY_TYPES: tuple[TypeName, ...] = get_args(TypeName)
BASES: tuple[Basis, ...] = get_args(Basis)
SETTINGS: tuple[SettingName, ...] = get_args(SettingName)
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
OCCURS: tuple[Occurs, ...] = get_args(Occurs)  # of a side of a need: only this one, or usually this one
ONLY: Occurs = "one"
COURSES: tuple[Course, ...] = get_args(Course)  # of a condition
ACUTE: Course = "acute"
HARMFUL = "harmful"  # an exclusion that applies whatever else a request has; others are of what is useless
JOBS = "occupation:"  # begins the ids of jobs; with the first figures of a code, it stands for a group of them
NEED_TYPES: tuple[TypeName, ...] = ("limitation", "workrelatedfunction")
CONDITION = "disability"  # the type of main and narrower conditions
WORK: SettingName = "work"
SCHOOL: SettingName = "school"

# A main condition has lists of its own. A narrower one inherits those of main conditions.
MAIN: ConditionKind = "main"
NARROWER: ConditionKind = "narrower"
INHERITED_EDGES: tuple[EdgeName, ...] = ("has_limitation", "affects", "recommends")

# Every product is of one family. Only assistive products were made for accommodation.
ASSISTIVE, MAINSTREAM = "assistive", "mainstream"
PRODUCT_FAMILIES = (ASSISTIVE, MAINSTREAM, "protective", "ergonomic")


def type_noun(type_name: str) -> str:
    """Return the name of a type, or of a field for one, as sentences write it."""
    return "work-related function" if type_name in {"workrelatedfunction", "work_function"} else type_name
