"""What is wrong with a file, and where: a reader raises, only the edge turns it into an exit code or a status."""

from __future__ import annotations

from collections.abc import Sequence

from simgap_client.models import Located

MAX_ERRORS = 100
_LONGEST_NAME = 60


class RecordError(Exception):
    """One thing wrong in one record. `pointer` is an RFC 6901 pointer from the record's root."""

    def __init__(self, pointer: str, code: str, message: str) -> None:
        super().__init__(message)
        self.pointer = pointer
        self.code = code
        self.message = message


class InvalidTraces(Exception):
    """The file cannot be used as it is; `errors` says where and what to do, at most 100 of them."""

    def __init__(self, errors: Sequence[Located]) -> None:
        self.errors = list(errors[:MAX_ERRORS])
        first = self.errors[0]
        super().__init__(f"line {first.line}, {first.pointer or '/'}: {first.message}")


def refusal(code: str, message: str, line: int = 0, pointer: str = "") -> InvalidTraces:
    """The error of a whole file, or of one place in it that leaves the rest unreadable."""
    return InvalidTraces([Located(line, pointer, code, message)])


def quoted(name: str) -> str:
    """A name out of the file (a role, a field, an id) as an error may show it: short, printable, in double quotes."""
    shown = name if len(name) <= _LONGEST_NAME else name[:_LONGEST_NAME] + "…"
    return '"' + "".join(c if c.isprintable() else "\ufffd" for c in shown) + '"'


def pointer_token(key: str) -> str:
    """A key as one token of a JSON pointer (RFC 6901, section 3), its slash included."""
    return "/" + key.replace("~", "~0").replace("/", "~1")
