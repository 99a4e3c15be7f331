"""Who may speak to a server without keys: programs and browsers on this machine, by this machine's name.

A page from elsewhere that a browser on this machine shows can reach a loopback address; its name in `Host` (DNS
rebinding), its `Origin`, or a proxy's headers give it away.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Receive, Scope, Send

from simgap_service.problems import BadRequest, Forbidden, ProblemError

_PROXY_HEADERS = frozenset({b"via", b"x-real-ip"})
_PROXY_PREFIXES = (b"forwarded", b"x-forwarded")
_HOST = re.compile(r"(?:\[([0-9a-f:.]{2,45})\]|([0-9a-z.-]{1,253}))(?::[0-9]{1,5})?")


class LoopbackGuard:
    """ASGI middleware that refuses what does not come from this machine by name (403) or can be read two ways (400)."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse or pass on."""
        problem = _refusal(scope["headers"]) if scope["type"] == ScopeType.HTTP else None
        if problem is None:
            await self._app(scope, receive, send)
            return
        headers = [(b"content-type", b"application/problem+json"), (b"connection", b"close")]
        await send({"type": "http.response.start", "status": problem.status, "headers": headers})
        await send({"type": "http.response.body", "body": problem.document(), "more_body": False})


def _refusal(headers: Iterable[tuple[bytes, bytes]]) -> ProblemError | None:
    given = list(headers)
    hosts = [value.decode("latin-1") for name, value in given if name == b"host"]
    if len(hosts) != 1 or not _is_loopback(hosts[0]):
        return Forbidden("Without keys, this server answers only requests to localhost, 127.0.0.1 or [::1].")
    for name, value in given:
        if name in _PROXY_HEADERS or name.startswith(_PROXY_PREFIXES):
            return Forbidden("Without keys, this server answers no request that a proxy passed on.")
        if name == b"origin" and value.decode("latin-1").lower() != f"http://{hosts[0]}".lower():
            return Forbidden("Without keys, this server answers no page of another origin.")
    if {b"content-length", b"transfer-encoding"} <= {name for name, _ in given}:
        return BadRequest("Content-Length or Transfer-Encoding, not both: where the body ends must be certain.")
    return None


def _is_loopback(host: str) -> bool:
    """Is this `name` or `name:digits`, and the name one of this machine?"""
    parts = _HOST.fullmatch(host.lower())
    if parts is None:
        return False
    name = parts[1] or parts[2]
    try:
        return name == "localhost" or ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
