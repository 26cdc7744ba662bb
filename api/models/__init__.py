"""Models of requests and responses. The OpenAPI and MCP schemas are generated from them."""

from api.models.graph import *  # noqa: F403 - one name for all models
from api.models.guides import *  # noqa: F403
from api.models.operations import *  # noqa: F403
from api.models.ranked_results import *  # noqa: F403
from api.models.reading import *  # noqa: F403
from api.models.recommend import *  # noqa: F403
from api.models.response import *  # noqa: F403
