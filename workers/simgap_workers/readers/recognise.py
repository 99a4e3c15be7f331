"""Which format a file is in, from its content alone."""

from __future__ import annotations

from simgap_workers.readers.errors import InvalidTraces, quoted, refusal
from simgap_workers.readers.outline import outline
from simgap_workers.readers.registry import FORMATS, Format

_BOM = b"\xef\xbb\xbf"
_OTHER_BOMS = (
    (b"\xff\xfe\0\0", "UTF-32LE"),
    (b"\0\0\xfe\xff", "UTF-32BE"),
    (b"\xff\xfe", "UTF-16LE"),
    (b"\xfe\xff", "UTF-16BE"),
)


def recognise(head: bytes) -> str:
    """The name of the format of which this is a file, or the beginning of one (64 KiB tell, in practice).

    Whether `odyssim-eval` is `tau-usi-human` may only show in a later key: where the caller named no format, leave
    `ReadOptions.format` at None, so that `read` can look at all of them.
    Raises InvalidTraces: `empty`, `not_utf8`, `not_json`, `unknown_format`.
    """
    head = utf8_bytes(head)
    if not head or head.isspace():
        raise refusal("empty", "The file is empty.", 1)
    seen = outline(head)
    for one in FORMATS.values():
        if one.fits(seen):
            return one.name
    raise refusal("unknown_format", f"The content is of no known format. {_known()}", 1)


def format_named(name: str) -> Format:
    """The format of that name. Raises InvalidTraces (`unknown_format`)."""
    found = FORMATS.get(name)
    if found is None:
        raise refusal("unknown_format", f"There is no format {quoted(name)}. {_known()}")
    return found


def utf8_bytes(data: bytes) -> bytes:
    """The data without a UTF-8 byte-order mark. Raises InvalidTraces (`not_utf8`) where it is UTF-16 or UTF-32."""
    if data.startswith(_BOM):
        return data[len(_BOM) :]
    for mark, name in _OTHER_BOMS:
        if data.startswith(mark):
            raise _not_utf8(name)
    zeros = [at for at in range(min(4, len(data))) if data[at] == 0]
    by_zeros = {(1, 2, 3): "UTF-32LE", (0, 1, 2): "UTF-32BE", (1, 3): "UTF-16LE", (0, 2): "UTF-16BE"}
    if tuple(zeros) in by_zeros:
        raise _not_utf8(by_zeros[tuple(zeros)])
    return data


def _not_utf8(name: str) -> InvalidTraces:
    return refusal(
        "not_utf8", f"The file is {name} from byte 1, not UTF-8. Convert it with iconv -f {name} -t UTF-8.", 1
    )


def _known() -> str:
    return f"Name one with --format / format= ({', '.join(FORMATS)})."
