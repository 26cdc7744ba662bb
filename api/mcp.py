"""The MCP door: the answers of `answers` as the tools, resources and prompts of the Model Context Protocol.

The protocol is the `mcp` package's, in all its revisions; here stands what it should say. No text that a
caller sent is logged: the package's own log is silenced, for its traces would hold it.
"""

from __future__ import annotations

import logging
from functools import cache
from typing import TYPE_CHECKING, Any, get_args

import mcp_types as types
from mcp.server import Server
from mcp.server.caching import CacheableMethod, CacheHint
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from api import queries, results
from api.errors import InternalError, ServiceError
from api.mcp_prompts import PROMPTS
from api.mcp_resources import ENTITY, ENTITY_SAYS, LISTED, read_resource
from api.models import TYPES
from api.observation import current
from api.once import forget
from api.tool_inputs import read, schema
from api.tool_words import DESCRIPTION, INSTRUCTIONS, WORDS
from api.tools import TOOLS, mend

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mcp.server.context import HandlerResult, ServerRequestContext
    from starlette.requests import Request

    from api.answers import Answers
    from api.envelope import Envelope
    from api.settings import Settings

    Context = ServerRequestContext[Any, Any]

log = logging.getLogger("akg.service")

COMPLETIONS = 20
READ_ONLY = types.ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)


class Desk:
    """Answers the requests of the protocol. Holds no state of its own."""

    def __init__(self, answers: Answers, envelope: Envelope, settings: Settings) -> None:
        self._answers = answers
        self._envelope = envelope
        self._public_url = settings.public_url

    async def list_tools(self, _: Context, __: object) -> types.ListToolsResult:
        """All tools, in the order in which a newcomer needs them."""
        return types.ListToolsResult(tools=list(published().values()))

    async def call_tool(self, context: Context, asked: types.CallToolRequestParams) -> types.CallToolResult:
        """Both halves of an answer; what the caller can mend is an error result, not an error of the protocol."""
        tool = TOOLS.get(asked.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, f"There is no such tool. There are: {', '.join(TOOLS)}.")
        current().route = tool.name
        try:
            reply = await tool.ask(self._answers, read(tool.takes, asked.arguments))
        except ServiceError as error:
            current().refused = error.status
            return types.CallToolResult(content=[types.TextContent(text=mend(error))], is_error=True)
        current().answered(reply.body)
        body = tool.shape(self._envelope.sealed(reply), self._base(context.request))
        return types.CallToolResult(content=[types.TextContent(text=tool.tell(body))], structured_content=body)

    def _base(self, request: Request | None) -> str:
        """The address under which this caller reaches the service; none over stdio."""
        if self._public_url or request is None:
            return self._public_url
        return f"{request.url.scheme}://{request.headers.get('host', '')}"

    async def list_resources(self, _: Context, __: object) -> types.ListResourcesResult:
        """The resources with a fixed address."""
        listed = [
            types.Resource(uri=uri, name=name, title=name.title(), description=says, mime_type=media_type)
            for uri, (name, says, media_type) in LISTED.items()
        ]
        return types.ListResourcesResult(resources=listed)

    async def list_templates(self, _: Context, __: object) -> types.ListResourceTemplatesResult:
        """The address of every entity."""
        template = types.ResourceTemplate(
            uri_template=ENTITY.template,
            name="entity",
            title="Entity",
            description=ENTITY_SAYS,
            mime_type="application/json",
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def read_resource(self, _: Context, asked: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        """The text of one resource."""
        try:
            found = await read_resource(asked.uri, self._answers, self._envelope)
        except ServiceError as error:
            known = error.status < 500  # noqa: PLR2004 - what the caller can mend
            code = types.INVALID_PARAMS if known else types.INTERNAL_ERROR
            raise MCPError(code, mend(error), {"uri": asked.uri}) from None
        if found is None:
            there = ", ".join([*LISTED, ENTITY.template])
            raise MCPError(types.INVALID_PARAMS, f"There is no such resource. There are: {there}.", {"uri": asked.uri})
        media_type, text = found
        contents = types.TextResourceContents(uri=asked.uri, mime_type=media_type, text=text)
        return types.ReadResourceResult(contents=[contents])

    async def list_prompts(self, _: Context, __: object) -> types.ListPromptsResult:
        """All prompts."""
        listed = [
            types.Prompt(
                name=prompt.name,
                title=prompt.title,
                description=prompt.says,
                arguments=[
                    types.PromptArgument(name=blank.name, description=blank.says, required=blank.required)
                    for blank in prompt.blanks
                ],
            )
            for prompt in PROMPTS.values()
        ]
        return types.ListPromptsResult(prompts=listed)

    async def get_prompt(self, _: Context, asked: types.GetPromptRequestParams) -> types.GetPromptResult:
        """One prompt with its blanks filled."""
        prompt = PROMPTS.get(asked.name)
        if prompt is None:
            raise MCPError(types.INVALID_PARAMS, f"There is no such prompt. There are: {', '.join(PROMPTS)}.")
        given = asked.arguments or {}
        if missing := prompt.missing(given):
            raise MCPError(types.INVALID_PARAMS, f"Missing arguments: {', '.join(missing)}.")
        message = types.PromptMessage(role="user", content=types.TextContent(text=prompt.filled(given)))
        return types.GetPromptResult(description=prompt.says, messages=[message])

    async def complete(self, _: Context, asked: types.CompleteRequestParams) -> types.CompleteResult:
        """Names for prompts, types and keys for the address of an entity, as they are typed."""
        typed = asked.argument.value.strip()[: queries.LONGEST]
        if isinstance(asked.ref, types.PromptReference):
            values = await self._names(asked.ref.name, asked.argument.name, typed)
        elif asked.ref.uri == ENTITY.template and asked.argument.name == "type":
            values = [name for name in TYPES if name.startswith(typed.casefold())]
        elif asked.ref.uri == ENTITY.template and typed:
            kind = (asked.context.arguments or {}).get("type") if asked.context else None
            cards = await self._suggested(typed, tuple(name for name in TYPES if name == kind))
            values = [card["id"].partition(":")[2] for card in cards]
        else:
            values = []
        return types.CompleteResult(completion=types.Completion(values=values, has_more=False))

    async def _names(self, prompt: str, argument: str, typed: str) -> list[str]:
        blanks = PROMPTS[prompt].blanks if prompt in PROMPTS else ()
        wanted = next((blank.types for blank in blanks if blank.name == argument), None)
        if wanted is None or not typed:
            return []
        return [card["name"] for card in await self._suggested(typed, wanted)]

    async def _suggested(self, typed: str, scope: tuple[str, ...]) -> list[dict[str, Any]]:
        try:
            reply = await self._answers.suggest(typed, scope, COMPLETIONS)
        except ServiceError as error:
            raise MCPError(types.INTERNAL_ERROR, mend(error)) from None
        found: list[dict[str, Any]] = reply.body["results"]
        return found

    async def set_log_level(self, _: Context, __: types.SetLevelRequestParams) -> types.EmptyResult:
        """Accept any level. Nothing is ever sent: logs of this service say nothing of what is asked."""
        return types.EmptyResult()


@cache
def published() -> dict[str, types.Tool]:
    """Every tool as clients see it. The schemas take a while to make and never change."""
    return {name: _tool(name) for name in TOOLS}


def _input_schema(name: str) -> dict[str, Any] | None:
    return published()[name].input_schema if name in TOOLS else None


def _tool(name: str) -> types.Tool:
    tool, words = TOOLS[name], WORDS[name]
    return types.Tool(
        name=name,
        title=words.title,
        description=words.description,
        input_schema=schema(tool.takes),
        output_schema=tool.gives.model_json_schema(),
        annotations=READ_ONLY,
    )


async def guard(ctx: Context, call_next: Callable[[Context], Awaitable[HandlerResult]]) -> HandlerResult:
    """Turn a defect into an error that says nothing of its cause, and log its kind alone."""
    try:
        return await call_next(ctx)
    except (MCPError, ValidationError):  # the package answers these, without their input
        raise
    except Exception as error:  # noqa: BLE001 - the package would log the trace, which can hold user text
        current().refused = InternalError.status
        log.error("defect in %s: %s", ctx.method, type(error).__name__)  # noqa: TRY400 - same reason
        raise MCPError(types.INTERNAL_ERROR, InternalError().detail) from None
    finally:
        forget()  # over stdio nobody else does


def mcp_server(answers: Answers, envelope: Envelope, settings: Settings) -> Server[Any]:
    """The server of the protocol, to be connected to HTTP, stdio or, in tests, to a client directly."""
    logging.getLogger("mcp").setLevel(logging.CRITICAL)  # its warnings quote headers, its traces quote arguments
    desk = Desk(answers, envelope, settings)
    fresh = CacheHint(ttl_ms=settings.cache_seconds * 1000, scope="public")
    hints: dict[CacheableMethod, CacheHint] = dict.fromkeys(get_args(CacheableMethod), fresh)
    server: Server[Any] = Server(
        "accommodation-knowledge-graph",
        version=results.VERSION,
        title=results.SERVICE,
        description=DESCRIPTION,
        instructions=INSTRUCTIONS,
        cache_hints=hints,
        get_tool_input_schema=_input_schema,
        on_list_tools=desk.list_tools,
        on_call_tool=desk.call_tool,
        on_list_resources=desk.list_resources,
        on_list_resource_templates=desk.list_templates,
        on_read_resource=desk.read_resource,
        on_list_prompts=desk.list_prompts,
        on_get_prompt=desk.get_prompt,
        on_completion=desk.complete,
    )
    server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, desk.set_log_level)
    server.middleware = [guard]  # in place of tracing, whose spans would carry what failed
    return server
