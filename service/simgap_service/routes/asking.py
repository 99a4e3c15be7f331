"""What a request says beside its body: how the file is to be read, and how long the caller would wait."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any, Literal
from urllib.parse import unquote_to_bytes

from litestar import Request
from litestar.params import Parameter

from simgap_client.models import Source, StopTurns
from simgap_service.problems import BadRequest
from simgap_service.trace_sets import now
from simgap_service.waiting import preferred_seconds
from simgap_workers.readers import FORMATS
from simgap_workers.store.records import SetRequest

YesNo = Literal["yes", "no", "true", "false"]

Name = Annotated[
    str, Parameter(query="name", min_length=1, max_length=200, description="The simulator's name, for the report.")
]
Format = Annotated[str | None, Parameter(query="format", description="Format of the file; else told from its content.")]
SourceIs = Annotated[Source | None, Parameter(query="source", description="Whose turns these are.")]
Domain = Annotated[str | None, Parameter(query="domain", max_length=100, description="Domain of τ-bench tasks.")]
Role = Annotated[
    list[str] | None, Parameter(query="role", description="`A=B` reads role A as B, `A=-` drops it; repeatable.")
]
Stop = Annotated[StopTurns | None, Parameter(query="stop_turns", description="What becomes of stop turns.")]
RunsFromId = Annotated[YesNo | None, Parameter(query="runs_from_id", description="Do the ids end in the run?")]
OnError = Annotated[
    Literal["refuse", "skip"], Parameter(query="on_error", description="What becomes of a file with bad records.")
]

_UPLOAD = ("name", "format", "source", "domain", "role", "stop_turns", "runs_from_id", "on_error")


def provide_upload(
    name: Name = "simulator",
    format: Format = None,
    source: SourceIs = None,
    domain: Domain = None,
    role: Role = None,
    stop_turns: Stop = None,
    runs_from_id: RunsFromId = None,
    on_error: OnError = "refuse",
) -> SetRequest:
    """How the file is to be read; raises BadRequest."""
    if format is not None and format not in FORMATS:
        raise BadRequest(f'format: "{format}" is not known (known: {", ".join(FORMATS)}).')
    if not name.isprintable():
        raise BadRequest("name: printable characters only.")
    mapped = [_mapped(entry) for entry in role or ()]
    roles = dict(mapped)
    if len(roles) < len(mapped):
        raise BadRequest("role: the same role is mapped twice; say once what it becomes.")
    return SetRequest(
        created=now(),
        name=name,
        format=format,
        source=source,
        domain=domain,
        roles=roles,
        stop_turns=stop_turns,
        runs_from_id=None if runs_from_id is None else runs_from_id in ("yes", "true"),
        on_error=on_error,
    )


def provide_wait(request: Request[Any, Any, Any]) -> int:
    """Seconds that the caller would wait for the finished thing (`Prefer: wait=N`)."""
    return preferred_seconds(request.headers.get("prefer"))


def only(request: Request[Any, Any, Any], *names: str) -> None:
    """Raise BadRequest where the query says something else than these and the options of an upload, or one twice."""
    try:
        unquote_to_bytes(request.scope["query_string"]).decode()
    except UnicodeDecodeError as error:
        raise BadRequest("The query is not UTF-8 (percent-encoded).") from error
    given = Counter(name for name, _ in request.query_params.multi_items())
    unknown = sorted(given.keys() - {*names, *_UPLOAD})
    if unknown:
        raise BadRequest(f"{unknown[0]}: no such parameter here (known: {', '.join((*names, *_UPLOAD))}).")
    twice = sorted(name for name, times in given.items() if times > 1 and name != "role")
    if twice:
        raise BadRequest(f"{twice[0]}: given {given[twice[0]]} times; give it once.")


def _mapped(entry: str) -> tuple[str, str]:
    role, mark, kind = entry.rpartition("=")
    if not mark or not role or not kind:
        raise BadRequest(f'role: "{entry}" is not of the form A=B, or A=- to drop A.')
    return role, kind
