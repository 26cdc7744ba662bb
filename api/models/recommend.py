"""Models of a request for recommendations and of its response."""

from typing import Annotated, Any, Literal, Self, cast

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    ValidationError,
    model_validator,
)
from pydantic_core import InitErrorDetails, PydanticCustomError

from api.models.response import (
    IS_INTEGER,
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
NO_SEED = f"give at least one of {', '.join(SEEDS)}"


class RecommendRequest(BaseModel):
    """What the solutions are for. Send one field, or several to narrow the results."""

    model_config = ConfigDict(
        extra="allow",  # unknown fields are ignored and reported in `warnings`
        json_schema_extra={
            "examples": [{"disability": "multiple-sclerosis", "limit": 5}, {"limitation": "low vision"}]
        },
    )

    disability: Readable | None = Field(default=None, description="A condition: id, slug, name or alias.")
    limitation: Readable | None = Field(default=None, description="A limitation: id, slug, name or alias.")
    work_function: Readable | None = Field(
        default=None, description="A work-related function: id, slug, name or alias."
    )
    occupation: Readable | None = Field(
        default=None, description="An occupation: id, code, slug, title or reported title."
    )
    setting: Annotated[SettingName | None, BeforeValidator(blank_as_none)] = Field(
        default=None, description="Only solutions for this setting: work, school or testing; all if null."
    )
    limit: Annotated[int, Field(ge=1), IS_INTEGER] | None = Field(
        default=20, description="Maximum number of solutions; 20 if null."
    )

    @model_validator(mode="wrap")
    @classmethod
    def report_missing_seed(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:  # noqa: ANN401 - as sent
        """Add a missing seed to the other problems of a body, which would hide it. Alone, the service reports it."""
        try:
            return handler(data)
        except ValidationError as error:
            if not isinstance(data, dict) or any(data.get(name) not in (None, "") for name in SEEDS):
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
            problems.append(InitErrorDetails(type=missing, loc=(), input=data))
            raise ValidationError.from_exception_data(cls.__name__, problems) from None


class Seed(Model):
    """How one field of the request was resolved."""

    field: str
    given: str
    entity: Card
    matched_by: Literal["id", "slug", "name", "alias", "synonym"]


class Need(Model):
    """A limitation or function that a result answers, its weight in the score, and the seed it comes from."""

    entity: Card
    weight: float
    seed: str


class ProductCard(Card):
    """A product and its vendor."""

    vendor: Card | None


class Recommendation(Card):
    """A solution with its rank, score and the needs it answers. The parts add up to the score."""

    rank: int = Field(ge=1)
    score: float
    score_parts: dict[str, float]
    basis: Literal["source", "editorial", "inherited", "derived"]
    basis_label: str = Field(description="How it became a result, in a few words.")
    answers: list[Need]
    why: str
    cautions: list[Caution]
    products: list[ProductCard]


class NeedCoverage(Model):
    """A need of the seeds, its weight, and how many of the recommended solutions answer it."""

    entity: Card
    weight: float
    seed: str
    solutions: Count
    job: str | None = Field(default=None, description="An ability that the job requires and this need can limit.")


class RecommendPage(Page):
    """Ranked solutions for the seeds."""

    seeds: list[Seed]
    results: list[Recommendation]
    left_out: list[LeftOut]
    cautions: list[Caution] = Field(description="Cautions whatever the solution, and pointers to rules of the job.")
    guidance_note: str = Field(description="Who wrote the cautions, and who did not review them.")
    coverage: list[NeedCoverage]
    products: list[ProductCard]
