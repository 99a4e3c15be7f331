"""How long we wait for a sender that has begun a request and sends no more of it."""

from __future__ import annotations

import asyncio

from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPReceiveMessage, Receive, Scope, Send, WebSocketReceiveMessage

from simgap_service.problems import UploadTimeout
from simgap_service.settings import variable


class Patience:
    """ASGI middleware: a body of which nothing comes for `seconds` ends the request with UploadTimeout."""

    def __init__(self, app: ASGIApp, seconds: float) -> None:
        self._app = app
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on, with a `receive` that waits only so long."""

        async def patient() -> HTTPReceiveMessage | WebSocketReceiveMessage:
            try:
                async with asyncio.timeout(self._seconds):
                    return await receive()
            except TimeoutError as error:
                raise UploadTimeout(
                    f"Nothing came for {self._seconds:g} s (limit {variable('idle_seconds')}); nothing was stored.",
                    headers={"Connection": "close"},
                ) from error

        await self._app(scope, patient if scope["type"] == ScopeType.HTTP else receive, send)
