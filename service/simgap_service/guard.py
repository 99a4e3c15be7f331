"""Who may speak to a server without keys: programs and browsers on this machine, by this machine's name.

A page from elsewhere that a browser on this machine shows can reach a loopback address; its name in `Host` (DNS
rebinding), its `Origin`, or a proxy's headers give it away.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from urllib.parse import urlsplit

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Receive, Scope, Send

from simgap_service.problems import Forbidden

_PROXY_HEADERS = frozenset({b"forwarded", b"x-forwarded-for", b"x-forwarded-host", b"x-forwarded-proto", b"x-real-ip"})


class LoopbackGuard:
    """ASGI middleware that refuses, with 403, whatever does not come from this machine by name."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse or pass on."""
        refusal = _refusal(scope["headers"]) if scope["type"] == ScopeType.HTTP else None
        if refusal is None:
            await self._app(scope, receive, send)
            return
        problem = Forbidden(refusal)
        headers = [(b"content-type", b"application/problem+json"), (b"connection", b"close")]
        await send({"type": "http.response.start", "status": problem.status, "headers": headers})
        await send({"type": "http.response.body", "body": problem.document(), "more_body": False})


def _refusal(headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    given = list(headers)
    hosts = [value.decode("latin-1") for name, value in given if name == b"host"]
    if len(hosts) != 1 or not _is_loopback(hosts[0]):
        return "Without keys, this server answers only requests to localhost, 127.0.0.1 or [::1]."
    for name, value in given:
        if name in _PROXY_HEADERS:
            return "Without keys, this server answers no request that a proxy passed on."
        if name == b"origin" and value.decode("latin-1").lower() != f"http://{hosts[0]}".lower():
            return "Without keys, this server answers no page of another origin."
    return None


def _is_loopback(host: str) -> bool:
    try:
        name = urlsplit(f"//{host}").hostname
    except ValueError:
        return False
    if name == "localhost":
        return True
    try:
        return name is not None and ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
