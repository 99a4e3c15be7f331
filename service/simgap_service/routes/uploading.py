"""What `/openapi.json` says of the two uploads: the body is the file itself, and how to send it."""

from __future__ import annotations

from dataclasses import dataclass

from litestar.openapi.spec import Example, OpenAPIMediaType, Operation, RequestBody, Schema
from litestar.openapi.spec.enums import OpenAPIType

_TRACES = (
    '{"id": "1", "task_id": "airline_0", "messages": [{"role": "user", "content": "hi, i want my money back"}]}\n'
    '{"id": "2", "task_id": "airline_1", "messages": [{"role": "user", "content": "which flights leave today?"}]}\n'
)
_BODY = (
    "The file itself, in one of the formats of `/v1/formats`; its name and its Content-Type do not matter. "
    "`Content-Encoding` may be gzip or zstd. "
)


def _file(call: str) -> RequestBody:
    example = Example(summary="Two traces, one a line (format `simgap`)", value=_TRACES)
    content = OpenAPIMediaType(schema=Schema(type=OpenAPIType.STRING), examples={"simgap": example})
    return RequestBody(
        content={"application/octet-stream": content}, description=f"{_BODY}For example:\n\n{call}", required=True
    )


@dataclass
class TraceSetOperation(Operation):
    """`POST /v1/trace-sets`."""

    def __post_init__(self) -> None:
        self.request_body = _file(
            "    curl --data-binary @traces.jsonl -H 'Prefer: wait=30' \\\n"
            "      'http://127.0.0.1:8765/v1/trace-sets?name=mine'"
        )


@dataclass
class ScoreOperation(Operation):
    """`POST /v1/score`."""

    def __post_init__(self) -> None:
        self.request_body = _file(
            "    curl --data-binary @traces.jsonl -H 'Prefer: wait=30' \\\n"
            "      'http://127.0.0.1:8765/v1/score?baseline=taubench-2026&name=mine'"
        )
