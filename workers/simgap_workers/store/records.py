"""What the store's own objects hold: requests as they were accepted, manifests, and why something failed."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, field

from simgap_client.models import Located, ReportOptions, StopTurns, TraceCounts, Warned


class SetRequest(Struct, frozen=True):
    """A trace set as its caller described it (formats.md, "What a caller can say"). None: the format's own default."""

    created: str
    name: str
    format: str | None = None
    source: Literal["human", "simulator"] | None = None
    domain: str | None = None
    roles: dict[str, str] = field(default_factory=dict)
    stop_turns: StopTurns | None = None
    runs_from_id: bool | None = None
    on_error: Literal["refuse", "skip"] = "refuse"


class Piece(Struct, frozen=True):
    """One raw piece: its size in bytes and the number of its first line, from 1."""

    bytes: int
    first_line: int


class Received(Struct, frozen=True):
    """The manifest of a finished upload: which attempt, its pieces, and the SHA-256 of the decoded body."""

    attempt: int
    pieces: list[Piece]
    sha256: str


class Refused(Struct, frozen=True):
    """A piece that cannot be read, and where (at most 100 errors)."""

    errors: list[Located]


class Sealed(Struct, frozen=True):
    """What came out of a set. `digest` is over its shards; an invalid set has errors and no counts."""

    state: Literal["ready", "invalid"]
    format: str | None = None
    source: str | None = None
    counts: TraceCounts | None = None
    digest: str | None = None
    warnings: list[Warned] = field(default_factory=list)
    errors: list[Located] = field(default_factory=list)


class BaselineAsked(Struct, frozen=True):
    """A baseline as it was accepted."""

    created: str
    name: str
    trace_sets: list[str]
    difficulty: Literal["published"] | dict[str, float] | None = None


class ReportAsked(Struct, frozen=True):
    """A report as it was accepted. `baseline_id` is an id, or the name of a built-in baseline."""

    created: str
    kind: Literal["usi"]
    trace_set: str
    baseline_id: str
    options: ReportOptions


class Failure(Struct, frozen=True):
    """Why an attempt came to nothing, in words for its owner; `code` is fixed."""

    code: str
    message: str


DAMAGED = Failure("damaged", "What SimGap stored for this cannot be read; send it again.")
INTERNAL = Failure("internal", "SimGap could not do this: a fault of ours, in our log. Ask again later.")

PASSING = frozenset({"attempts", "internal"})
"""Codes of failures that lie in the moment: the next equal request is a new attempt."""

OF_NEEDS = frozenset({"trace-set-failed", "baseline-failed"})
"""Codes of failures that last as long as that of what is needed."""
