"""Models of a request for recommendations and of its response."""

from typing import Annotated, Any, Literal, Self, cast

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    ValidationError,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import InitErrorDetails, PydanticCustomError, PydanticKnownError

from api.models.guides import GuideCard
from api.models.reading import Reading
from api.models.response import (
    IS_INTEGER,
    IS_READABLE,
    Card,
    Caution,
    Count,
    LeftOut,
    Model,
    Page,
    Readable,
    blank_as_none,
)
from schema.entity_kinds import SettingName

SEEDS = ("disability", "limitation", "work_function", "occupation")
NO_SEED = f"give a question, or at least one of {', '.join(SEEDS)}"


MAX_SEEDS = 10
MAX_QUESTION_LENGTH = 5_000  # characters, a pasted letter; only the first words are read
MAX_EXCLUDED = 50


def _as_texts(value: Any) -> Any:  # noqa: ANN401 - as sent
    """Return a text as a list of one; reject an empty list, and let the items of others be checked one by one."""
    if value is None:
        return ()
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list | tuple):
        raise PydanticKnownError("string_type")
    if not value:
        raise PydanticCustomError("empty_list", "give at least one text, or leave the field out")
    return tuple(value)


def _texts_schema(maximum: int) -> WithJsonSchema:
    text = {"type": "string"}
    several = {"type": "array", "items": text, "minItems": 1, "maxItems": maximum}
    return WithJsonSchema({"anyOf": [text, several, {"type": "null"}]})


SeedTexts = Annotated[
    tuple[Readable, ...], BeforeValidator(_as_texts), Field(validate_default=True), _texts_schema(MAX_SEEDS)
]
ExcludedTexts = Annotated[
    tuple[Readable, ...],
    BeforeValidator(_as_texts),
    Field(max_length=MAX_EXCLUDED, validate_default=True),
    _texts_schema(MAX_EXCLUDED),
]


def require_few_seeds(count: int) -> None:
    """Raise PydanticCustomError if there are more seeds than a ranking can serve."""
    if count > MAX_SEEDS:
        message = "at most {maximum} texts in {fields} together; there are {count}"
        context = {"maximum": MAX_SEEDS, "fields": ", ".join(SEEDS), "count": count}
        raise PydanticCustomError("too_many_seeds", message, context)


class RecommendRequest(BaseModel):
    """What the solutions are for: a question, or one text or several in any of four fields, at most ten in all."""

    model_config = ConfigDict(
        extra="allow",  # unknown fields are ignored and reported in `warnings`
        json_schema_extra={
            "examples": [
                {"disability": "multiple-sclerosis", "limit": 5},
                {"question": "dyslexia and can't sit long"},
                {"disability": ["arthritis", "low vision"], "occupation": "cashier"},
            ]
        },
    )

    question: Annotated[str, Field(max_length=MAX_QUESTION_LENGTH), IS_READABLE] | None = Field(
        default=None, description="What is needed, in one's own words."
    )
    disability: SeedTexts = Field(
        default=None, validate_default=True, description="Conditions: id, slug, name or alias."
    )
    limitation: SeedTexts = Field(
        default=None, validate_default=True, description="Limitations: id, slug, name or alias."
    )
    work_function: SeedTexts = Field(
        default=None, validate_default=True, description="Work-related functions: id, slug, name or alias."
    )
    occupation: SeedTexts = Field(
        default=None, validate_default=True, description="Occupations: id, code, slug, title or reported title."
    )
    exclude: ExcludedTexts = Field(
        default=None, validate_default=True, description="Solutions that were tried or do not suit."
    )
    setting: Annotated[SettingName | None, BeforeValidator(blank_as_none)] = Field(
        default=None, description="Only solutions for this setting: work, school or testing; all if null."
    )
    limit: Annotated[int, Field(ge=1), IS_INTEGER] | None = Field(
        default=20, description="Maximum number of solutions; 20 if null, and never more than 500."
    )

    @model_validator(mode="after")
    def limit_seeds(self) -> Self:
        """Reject more seeds than a ranking can serve."""
        require_few_seeds(sum(len(getattr(self, field)) for field in SEEDS))
        return self

    @model_validator(mode="wrap")
    @classmethod
    def report_missing_seed(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:  # noqa: ANN401 - as sent
        """Add a missing seed to the other problems of a body, which would hide it. Alone, the service reports it."""
        try:
            return handler(data)
        except ValidationError as error:
            if not isinstance(data, dict) or any(data.get(name) not in (None, "") for name in ("question", *SEEDS)):
                raise
            problems = [
                InitErrorDetails(
                    type=PydanticCustomError(
                        cast("Any", problem["type"]), cast("Any", problem["msg"]), problem.get("ctx")
                    ),
                    loc=problem["loc"],
                    input=problem["input"],
                )
                for problem in error.errors()
            ]
            missing = PydanticCustomError("no_seed", cast("Any", NO_SEED))
            known = {name: value for name, value in data.items() if name in cls.model_fields}
            problems.append(InitErrorDetails(type=missing, loc=(), input=known))
            raise ValidationError.from_exception_data(cls.__name__, problems) from None


class Seed(Model):
    """How one field of the request was resolved."""

    field: str = Field(description="Its name.")
    given: str = Field(description="What was sent, or the words of the question.")
    entity: Card = Field(description="The entity it was taken for.")
    matched_by: Literal["id", "slug", "name", "alias", "synonym", "spelling"] = Field(description="By which form.")


class Need(Model):
    """A limitation or function that a result answers, its weight in the score, and the seed it comes from."""

    entity: Card = Field(description="The need.")
    weight: float = Field(description="Its share of all needs of its seed.")
    seed: str = Field(description="The field that brought it.")
    seed_id: str = Field(description="The id of the seed.")


class ProductCard(Card):
    """A product and its vendor."""

    vendor: Card | None = Field(description="Its maker or seller, where one is known.")


class Recommendation(Card):
    """A solution with its rank, score and the needs it answers. The parts add up to the score."""

    rank: int = Field(ge=1, description="Its place, from 1.")
    score: float = Field(description="The sum of the parts.")
    score_parts: dict[str, float] = Field(
        description="`coverage`, `evidence`, `specificity`, `first_choice` and `fit`."
    )
    basis: Literal["source", "editorial", "inherited", "derived"] = Field(
        description=(
            "A source lists it for a seed, the editors name it, it is listed for a relative of one, or it"
            " is usual for what a seed brings."
        )
    )
    basis_label: str = Field(description="The same in a few words, such as 'listed for a broader condition'.")
    answers: list[Need] = Field(description="The needs it answers, weightiest first.")
    why: str = Field(description="The reasons in a few sentences.")
    outside_setting: bool = Field(default=False, description="Whether it is for other settings than the requested one.")
    cautions: list[Caution] = Field(description="Cautions that concern this solution and a seed.")
    products: list[ProductCard] = Field(description="Up to five products that put it into practice.")


class NeedCoverage(Model):
    """A need of the seeds, its weight, and how many of the recommended solutions answer it."""

    entity: Card = Field(description="The need.")
    weight: float = Field(description="Its share of all needs of its seed.")
    seed: str = Field(description="The field that brought it.")
    seed_id: str = Field(description="The id of the seed.")
    solutions: Count = Field(description="How many of all recommended solutions answer it.")
    places: list[int] = Field(description="Ranks of the results that answer it.")
    job: str | None = Field(
        default=None,
        description="An ability that the job requires and this need can limit, so that the need counts more.",
    )


class NeedGroup(Model):
    """What helps with one need of a job: the need, the ability that the job requires, and ids of results."""

    entity: Card = Field(description="The need.")
    job: str = Field(description="The ability that the job requires and this need can limit.")
    results: list[str] = Field(description="Ids of results.")


class RecommendPage(Page):
    """Ranked solutions for the seeds."""

    reading: Reading | None = Field(description="What the question was read as.")
    guides: list[GuideCard] = Field(description="Guides that words of the question name; one for a crisis is first.")

    seeds: list[Seed] = Field(description="How the request was understood.")
    results: list[Recommendation] = Field(description="The solutions, best first.")
    left_out: list[LeftOut] = Field(description="Solutions that a source lists, but that are wrong for the seeds.")
    cautions: list[Caution] = Field(
        description="Cautions that hold whatever the solution, and pointers to rules of the job."
    )
    guidance_note: str = Field(description="Who wrote the cautions, and who did not review them.")
    coverage: list[NeedCoverage] = Field(description="How many solutions answer each need, and where they stand.")
    groups: list[NeedGroup] = Field(description="For a job alone, its most demanding needs.")
    products: list[ProductCard] = Field(description="Products of the results shown, at most 20.")
