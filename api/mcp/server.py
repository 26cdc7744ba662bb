"""MCP server: tools, resources, prompts and completions over `GraphService`, and the error guard.

The `mcp` package implements the protocol. No text from a client is logged: the package's log is silenced, because its
traces contain arguments.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from typing import Any, get_args

import mcp_types as types
from mcp.server import Server
from mcp.server.caching import CacheableMethod, CacheHint
from mcp.server.context import HandlerResult, ServerRequestContext
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError
from starlette.requests import Request

from api import about
from api.errors import InternalError, ServiceError
from api.http.envelope import JSON, Envelope
from api.mcp.arguments import flat_schema, parse_arguments
from api.mcp.brief import as_paged, shorten_result
from api.mcp.descriptions import DESCRIPTION, DESCRIPTIONS, INSTRUCTIONS, PROMPTS
from api.mcp.output_schemas import OUTPUT_SCHEMAS
from api.mcp.resources import ENTITY, ENTITY_SCHEME, FIXED_RESOURCES, guide_resource, read_resource
from api.mcp.text import error_data
from api.mcp.tools import TOOLS, error_text
from api.parameters import MAX_QUERY_LENGTH
from api.request_text import control_character, shorten, shorten_name
from api.search.query import ParsedQuery
from api.service import GraphService
from api.settings import Settings
from api.telemetry.usage_counters import current_request
from schema.entity_kinds import ENTITY_TYPES

Context = ServerRequestContext[Any, Any]


log = logging.getLogger("akg.service")

FIRST_REVISION_WITH_LINKS = "2025-06-18"
MAX_LINKS = 3
ENTITY_DESCRIPTION = (
    "The full record of one entity, as get_entity returns it with detail=full. The id is the key or the slug."
)
MAX_COMPLETIONS = 20
BLOCKS = ("provenance", "notice")
READ_ONLY = types.ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)


class McpHandlers:
    """Handlers of the protocol's requests. Stateless."""

    def __init__(self, service: GraphService, envelope: Envelope, settings: Settings) -> None:
        self._service = service
        self._envelope = envelope
        self._base_url, self._public_url = settings.base_url, settings.public_url

    async def list_tools(self, _: Context, __: object) -> types.ListToolsResult:
        """Return all tools, in the order in which a new client needs them."""
        return types.ListToolsResult(tools=list(published().values()))

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        """Run a tool. Errors that the model can correct are tool errors, not protocol errors."""
        tool = TOOLS.get(params.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool. Valid tools: {', '.join(TOOLS)}.")
        current_request().route = tool.name
        try:
            arguments = parse_arguments(tool.arguments, params.arguments)
            result = await tool.run(self._service, arguments)
        except ServiceError as error:
            current_request().error_status = error.status
            text = f"{error_text(error)}\n{about.NOTICE}"
            return types.CallToolResult(
                content=[types.TextContent(text=text)], is_error=True, _meta=self._blocks(error)
            )
        current_request().add_result(result.body)
        if result.empty_search:
            current_request().add_empty_search(result.empty_search.words, result.empty_search.scope)
        body = tool.shape(self._envelope.wrap_result(result), self._base(context.request))
        meta = {name: body[name] for name in BLOCKS}
        content = shorten_result(body) if getattr(arguments, "detail", None) == "brief" else body
        links = resource_links(body) if content.get("omitted") and knows_links(context) else []
        text = tool.render(as_paged(body, content) if hasattr(arguments, "offset") else body, arguments)
        blocks = [types.TextContent(text=text), *links]
        return types.CallToolResult(content=blocks, structured_content=content, _meta=meta)

    def _blocks(self, error: ServiceError | None = None) -> dict[str, Any]:
        """Return provenance and notice as the members of `_meta`, or of the data of a protocol error."""
        return self._envelope.wrap_body({}, self._service.release, error.sources if error else ())

    async def add_blocks(self, ctx: Context, call_next: Callable[[Context], Awaitable[HandlerResult]]) -> HandlerResult:
        """Add provenance and notice to the data of protocol errors."""
        try:
            return await call_next(ctx)
        except MCPError as error:
            raise MCPError(error.code, error.message, error_data(error.data, self._blocks())) from None

    def _base(self, request: Request | None) -> str:
        """Return the base URL of the addresses in a result; over stdio, where nothing listens, only a public one."""
        return self._base_url if request is not None else self._public_url

    async def list_resources(self, _: Context, __: object) -> types.ListResourcesResult:
        """Return the resources with a fixed URI."""
        listed = [
            types.Resource(uri=uri, name=name, title=name.title(), description=description, mime_type=media_type)
            for uri, (name, description, media_type) in FIXED_RESOURCES.items()
        ]
        try:
            guides = (await self._service.guides()).body["results"]
        except ServiceError:  # OpenSearch is unavailable; the fixed resources still exist
            guides = []
        listed += [guide_resource(guide) for guide in guides]
        return types.ListResourcesResult(resources=listed)

    async def list_templates(self, _: Context, __: object) -> types.ListResourceTemplatesResult:
        """Return the URI template of entities."""
        template = types.ResourceTemplate(
            uri_template=ENTITY.template, name="entity", title="Entity", description=ENTITY_DESCRIPTION, mime_type=JSON
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def read_resource(self, _: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        """Return the text of one resource."""
        try:
            resource = await read_resource(params.uri, self._service, self._envelope)
        except ServiceError as error:
            correctable = error.status < 500  # noqa: PLR2004 - a client error
            code = types.INVALID_PARAMS if correctable else types.INTERNAL_ERROR
            raise MCPError(code, error_text(error), {"uri": shorten(params.uri)}) from None
        if resource is None:
            valid = ", ".join([*FIXED_RESOURCES, ENTITY.template])
            raise MCPError(
                types.INVALID_PARAMS, f"Unknown resource. Valid resources: {valid}.", {"uri": shorten(params.uri)}
            )
        media_type, text, body = resource
        contents = types.TextResourceContents(uri=params.uri, mime_type=media_type, text=text)
        return types.ReadResourceResult(contents=[contents], _meta={name: body[name] for name in BLOCKS})

    async def list_prompts(self, _: Context, __: object) -> types.ListPromptsResult:
        """Return all prompts."""
        listed = [
            types.Prompt(
                name=prompt.name,
                title=prompt.title,
                description=prompt.description,
                arguments=[
                    types.PromptArgument(name=known.name, description=known.description, required=known.required)
                    for known in prompt.arguments
                ],
            )
            for prompt in PROMPTS.values()
        ]
        return types.ListPromptsResult(prompts=listed)

    async def get_prompt(self, _: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        """Return one prompt with its arguments filled in."""
        prompt = PROMPTS.get(params.name)
        if prompt is None:
            raise MCPError(types.INVALID_PARAMS, f"Unknown prompt. Valid prompts: {', '.join(PROMPTS)}.")
        arguments = params.arguments or {}
        if missing := prompt.missing(arguments):
            raise MCPError(types.INVALID_PARAMS, f"Missing arguments: {', '.join(missing)}.")
        for name, value in arguments.items():
            if len(value) > MAX_QUERY_LENGTH or control_character(value, is_pasted=True):
                valid = f"at most {MAX_QUERY_LENGTH} characters, none of them control characters"
                raise MCPError(types.INVALID_PARAMS, f"{shorten_name(name)} should have {valid}.")
        message = types.PromptMessage(role="user", content=types.TextContent(text=prompt.filled(arguments)))
        return types.GetPromptResult(description=prompt.description, messages=[message], _meta=self._blocks())

    async def complete(self, _: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        """Complete names for prompts, and types and keys for the URI of an entity."""
        if control_character(params.argument.value, is_pasted=True):
            raise MCPError(types.INVALID_PARAMS, "The value to complete should have no control characters.")
        typed = params.argument.value.strip()[:MAX_QUERY_LENGTH]
        if isinstance(params.ref, types.PromptReference):
            values = await self._names(params.ref.name, params.argument.name, typed)
        elif params.ref.uri == ENTITY.template and params.argument.name == "type":
            values = [name for name in ENTITY_TYPES if name.startswith(typed.casefold())]
        elif params.ref.uri == ENTITY.template and typed:
            kind = (params.context.arguments or {}).get("type") if params.context else None
            cards = await self._suggested(typed, tuple(name for name in ENTITY_TYPES if name == kind))
            values = [card["id"].partition(":")[2] for card in cards]
        else:
            values = []
        return types.CompleteResult(completion=types.Completion(values=values, has_more=False))

    async def _names(self, prompt: str, argument: str, typed: str) -> list[str]:
        arguments = PROMPTS[prompt].arguments if prompt in PROMPTS else ()
        wanted = next((known.types for known in arguments if known.name == argument), None)
        if wanted is None or not typed:
            return []
        return [card["name"] for card in await self._suggested(typed, wanted)]

    async def _suggested(self, typed: str, scope: tuple[str, ...]) -> list[dict[str, Any]]:
        try:
            result = await self._service.suggest(ParsedQuery.parse(typed), scope, MAX_COMPLETIONS)
        except ServiceError as error:
            raise MCPError(types.INTERNAL_ERROR, error_text(error)) from None
        cards: list[dict[str, Any]] = result.body["results"]
        return cards

    async def set_log_level(self, _: Context, __: types.SetLevelRequestParams) -> types.EmptyResult:
        """Accept any level. Nothing is ever sent to clients."""
        return types.EmptyResult()


def knows_links(context: Context) -> bool:
    """Whether the client understands links to resources, which protocol revisions before 2025-06-18 do not have.

    Each request over HTTP names its revision since then; over stdio, the handshake did.
    """
    request = context.request
    revision = context.protocol_version if request is None else request.headers.get("mcp-protocol-version", "")
    return str(revision) >= FIRST_REVISION_WITH_LINKS


def resource_links(body: Mapping[str, Any]) -> list[types.ResourceLink]:
    """Return links to the full records of the entities that a result is about, or of its first hits."""
    seeds = [seed["entity"] for seed in body.get("seeds", ())]
    ends = [body[end]["entity"] for end in ("from", "to") if end in body]
    subject = [body] if "id" in body else [body["entity"]] if "entity" in body else [*seeds, *ends]
    cards = subject or body.get("results", ())[:MAX_LINKS]
    return [
        types.ResourceLink(uri=f"{ENTITY_SCHEME}{card['url']}", name=card["id"], title=card["name"], mime_type=JSON)
        for card in cards
    ]


@cache
def published() -> dict[str, types.Tool]:
    """Return every tool as clients see it. The schemas are slow to generate and never change."""
    return {
        name: types.Tool(
            name=name,
            title=DESCRIPTIONS[name].title,
            description=DESCRIPTIONS[name].description,
            input_schema=flat_schema(tool.arguments),
            output_schema=OUTPUT_SCHEMAS[name],
            annotations=READ_ONLY,
        )
        for name, tool in TOOLS.items()
    }


async def guard(ctx: Context, call_next: Callable[[Context], Awaitable[HandlerResult]]) -> HandlerResult:
    """Turn an unexpected exception into an internal error without details, and log only its type."""
    try:
        return await call_next(ctx)
    except (MCPError, ValidationError):  # the package reports these without their input
        raise
    except Exception as error:  # noqa: BLE001 - the package would log the trace, which can hold user text
        current_request().error_status = InternalError.status
        log.error("defect in %s: %s", ctx.method, type(error).__name__)  # noqa: TRY400 - same reason
        raise MCPError(types.INTERNAL_ERROR, InternalError().detail) from None


def mcp_server(service: GraphService, envelope: Envelope, settings: Settings) -> Server[Any]:
    """Build the protocol server, to be connected to HTTP, stdio or, in tests, to a client directly."""
    logging.getLogger("mcp").setLevel(logging.CRITICAL)  # its warnings quote headers, its traces quote arguments
    handlers = McpHandlers(service, envelope, settings)
    hint = CacheHint(ttl_ms=settings.cache_seconds * 1000, scope="public")
    hints: dict[CacheableMethod, CacheHint] = dict.fromkeys(get_args(CacheableMethod), hint)
    server: Server[Any] = Server(
        "accommodation-knowledge-graph",
        version=about.VERSION,
        title=about.SERVICE_NAME,
        description=DESCRIPTION,
        instructions=INSTRUCTIONS,
        cache_hints=hints,
        get_tool_input_schema=lambda name: published()[name].input_schema if name in TOOLS else None,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
        on_list_prompts=handlers.list_prompts,
        on_get_prompt=handlers.get_prompt,
        on_completion=handlers.complete,
    )
    server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, handlers.set_log_level)
    server.middleware = [handlers.add_blocks, guard]  # instead of tracing, whose spans would contain arguments
    return server
