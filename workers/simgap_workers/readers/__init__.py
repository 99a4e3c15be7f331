"""Readers: from the bytes of a file to traces, one module a format (formats.md).

`read` reads one piece: a whole document, or some lines of a line format. Nothing here knows files, HTTP or Redis.
"""

from __future__ import annotations

from simgap_workers.readers.duplicates import Duplicate, duplicate_message, find_duplicates
from simgap_workers.readers.errors import MAX_ERRORS, InvalidTraces, refusal
from simgap_workers.readers.options import ReadOptions, check_options
from simgap_workers.readers.piece import Piece
from simgap_workers.readers.reading import Reading
from simgap_workers.readers.recognise import format_named, recognise, utf8_bytes
from simgap_workers.readers.records import MAX_DOCUMENT_BYTES, MAX_LINE_BYTES
from simgap_workers.readers.registry import FORMATS, Format
from simgap_workers.readers.roles import NAMES as ROLE_NAMES
from simgap_workers.trace import SurveyAnswer

__all__ = [
    "FORMATS",
    "MAX_DOCUMENT_BYTES",
    "MAX_ERRORS",
    "MAX_LINE_BYTES",
    "ROLE_NAMES",
    "Duplicate",
    "Format",
    "InvalidTraces",
    "ReadOptions",
    "Reading",
    "SurveyAnswer",
    "duplicate_message",
    "find_duplicates",
    "format_named",
    "read",
    "recognise",
    "refusal",
]

_HEAD = 64 * 1024


def read(data: bytes, options: ReadOptions | None = None, first_line: int = 1) -> Reading:
    """Read one piece. `first_line` is the number of its first line in the file; only line formats have later pieces.

    Where the caller names no format, it is recognised from the content. Every record is a trace, an answer or
    excluded. Raises InvalidTraces, with every error of the piece (at most 100) unless records are to be skipped; what
    makes the whole file unreadable is raised even then.
    """
    options = options or ReadOptions()
    check_options(options)
    data = utf8_bytes(data)
    if first_line == 1 and (not data or data.isspace()):
        raise refusal("empty", "The file is empty.", 1)
    named = format_named(options.format or _recognised(data))
    reading = Reading(named.name, options.source or named.source, stop_turns=options.stop_turns or named.stop_turns)
    piece = Piece(data, options, first_line, reading)
    if first_line == 1 and options.runs_from_id is not None and not named.runs_in_ids:
        piece.warn("not_used", f"runs_from_id says nothing in format {named.name}: its ids hold no runs.")
    named.read(piece)
    return piece.finish()


def _recognised(data: bytes) -> str:
    """The format's name; more is looked at only where a short head does not tell."""
    try:
        return recognise(data[:_HEAD])
    except InvalidTraces:
        return recognise(data)
