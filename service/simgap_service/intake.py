"""The intake of uploads: only so many bodies are held at once, each of them whole in memory until it is stored."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from litestar import Request

from simgap_service.bodies import read_body
from simgap_service.problems import Overloaded
from simgap_service.settings import Settings, variable


class Intake:
    """Places for uploads. It belongs to one event loop."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._taken = 0

    @asynccontextmanager
    async def body(self, request: Request[Any, Any, Any]) -> AsyncIterator[bytes]:
        """The request's decoded body, which has a place while it is read and stored.

        Raises Overloaded, TooLarge, UnsupportedEncoding, UploadTimeout, BadRequest.
        """
        if self._taken >= self._settings.uploads:
            raise Overloaded(
                f"{self._taken} uploads are being received (limit {variable('uploads')}); try again soon.",
                headers={"Retry-After": "2"},
            )
        self._taken += 1
        try:
            encoding, limit = request.headers.get("content-encoding", ""), self._settings.document_bytes
            yield await read_body(request.stream(), encoding, limit, variable("document_bytes"))
        finally:
            self._taken -= 1
