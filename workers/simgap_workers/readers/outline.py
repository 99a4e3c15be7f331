"""The outline of a file: which keys its first value has, one and two levels deep, as far as a head of it shows.

The head may end anywhere. Time is linear in it: strings are passed over with `find`, and no value is decoded.
"""

from __future__ import annotations

from msgspec import Struct, field

from simgap_workers.readers.errors import InvalidTraces, refusal

_BLANKS = b" \t\r\n"
_OUTSIDE_STRINGS = frozenset(b" \t\r\n,:+-.0123456789truefalsnEINiy")
_QUOTE, _BACKSLASH, _OBJECT = b'"\\{'
# Keys of the second level stand in at most: an array, an object, an array, an object.
_DEEPEST = 4


class Outline(Struct):
    """array: whether the first value is an array; its elements then count as the first level.

    keys: of the first level, in order. inner: of the second, for each of them (objects in arrays count as if they
    stood there themselves). complete: whether the first value ended within the head.
    """

    array: bool
    keys: dict[str, None] = field(default_factory=dict)
    inner: dict[str, set[str]] = field(default_factory=dict)
    complete: bool = False

    def note(self, level: int, key: str) -> None:
        """Take down a key that stands in so many objects."""
        if level == 1:
            self.keys[key] = None
        elif level == 2 and self.keys:
            self.inner.setdefault(next(reversed(self.keys)), set()).add(key)

    def below(self) -> set[str]:
        """All keys of the second level."""
        return set().union(*self.inner.values())


def outline(head: bytes) -> Outline:
    """Raises InvalidTraces (`not_json`) where the head cannot be the beginning of JSON objects."""
    at = _skip(head, 0)
    if head[at : at + 1] not in (b"[", b"{"):
        raise refusal("not_json", "Not JSON: the file begins with neither { nor [.", 1)
    found = Outline(head[at : at + 1] == b"[")
    open_containers = bytearray()
    size = len(head)
    while at < size:
        mark = head[at]
        if mark == _QUOTE:
            start, end = at + 1, _string_end(head, at)
            if end < 0:
                return found
            at = _skip(head, end)
            if open_containers[-1] == _OBJECT and head[at : at + 1] == b":":
                level = open_containers.count(_OBJECT) if len(open_containers) <= _DEEPEST else 0
                found.note(level, head[start : end - 1].decode("utf-8", "replace"))
        elif mark in b"{[":
            open_containers.append(mark)
            at += 1
        elif mark in b"}]":
            if open_containers.pop() + 2 != mark:
                raise _not_json(head, at)
            at += 1
            if not open_containers:
                found.complete = True
                return found
        elif mark in _OUTSIDE_STRINGS:
            at += 1
        else:
            raise _not_json(head, at)
    return found


def _skip(head: bytes, at: int) -> int:
    while at < len(head) and head[at] in _BLANKS:
        at += 1
    return at


def _string_end(head: bytes, at: int) -> int:
    """The place after the string that begins here; -1 where the head ends within it."""
    start = at + 1
    while (end := head.find(b'"', start)) >= 0:
        before = end
        while before > start and head[before - 1] == _BACKSLASH:
            before -= 1
        if (end - before) % 2 == 0:
            return end + 1
        start = end + 1
    return -1


def _not_json(head: bytes, at: int) -> InvalidTraces:
    line = head.count(b"\n", 0, at) + 1
    return refusal("not_json", f"Not JSON: byte {at + 1} of the file stands where none like it can stand.", line)
