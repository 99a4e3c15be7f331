"""What a caller can say about a file (formats.md, "What a caller can say")."""

from __future__ import annotations

from msgspec import Struct, field

from simgap_workers.readers.errors import quoted, refusal

STOP_TURNS = ("drop", "keep", "trim")


class ReadOptions(Struct, frozen=True):
    """How to read a file. None is "as the format has it".

    source: `human` or `simulator`. domain: of τ-bench's task ids. roles: A -> B maps a role, A -> `-` drops its
    messages. stop_turns: `drop`, `keep`, `trim`. runs_from_id: whether an id's last number is the run.
    on_error: `refuse` the file, or `skip` the record. file_name: the last resort for τ-bench's domain.
    users_only: leave out what others than users said, which no metric needs; it is passed over undecoded.
    in_pieces: the file has other pieces, so that the caller looks for duplicates over all of them.
    """

    format: str | None = None
    source: str | None = None
    domain: str | None = None
    roles: dict[str, str] = field(default_factory=dict)
    stop_turns: str | None = None
    runs_from_id: bool | None = None
    on_error: str = "refuse"
    file_name: str = ""
    users_only: bool = False
    in_pieces: bool = False


def check_options(options: ReadOptions) -> None:
    """Raise InvalidTraces (`bad_option`) where a choice is none of the possible ones."""
    choices = (
        ("source", options.source, ("human", "simulator")),
        ("stop_turns", options.stop_turns, STOP_TURNS),
        ("on_error", options.on_error, ("refuse", "skip")),
    )
    for name, value, possible in choices:
        if value is not None and value not in possible:
            raise refusal("bad_option", f"{name} is {quoted(value)}; it can be {', '.join(possible)}.")
