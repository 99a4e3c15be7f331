"""`/v1/formats`: which files can be read."""

from __future__ import annotations

from litestar import get
from msgspec import Struct

from simgap_workers.readers import FORMATS


class FormatEntry(Struct):
    """One format. A splittable one has a trace a line."""

    name: str
    description: str
    splittable: bool


@get("/v1/formats", operation_id="listFormats", sync_to_thread=False)
def list_formats() -> list[FormatEntry]:
    """The formats that are recognised from a file's content, or named by `format`."""
    return [FormatEntry(name, entry.description, entry.splittable) for name, entry in FORMATS.items()]
