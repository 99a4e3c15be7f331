"""What can go wrong at the edge: one class for each meaning, sent as application/problem+json (RFC 9457)."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, ClassVar

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException

from simgap_client.models import Located, ProblemDocument
from simgap_service.settings import variable
from simgap_workers.store.objects import StoreFullError

_log = logging.getLogger("simgap.api")


class ProblemError(Exception):
    """An error that the caller sees; `detail` says what to do."""

    slug: ClassVar[str] = "internal"
    title: ClassVar[str] = "A fault of the service"
    status: ClassVar[int] = 500

    def __init__(self, detail: str, errors: Sequence[Located] = (), headers: dict[str, str] | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.errors = list(errors)
        self.headers = headers or {}

    def document(self) -> bytes:
        """The problem document, encoded."""
        return _document(self.slug, self.title, self.status, self.detail, self.errors)

    def response(self) -> Response[bytes]:
        """The answer to send."""
        return _response(self.document(), self.status, self.headers)


class BadRequest(ProblemError):
    """The query, a header or the request's JSON says something that cannot be."""

    slug, title, status = "bad-request", "The request cannot be understood", 400


class Forbidden(ProblemError):
    """A server without keys was addressed by another name than this machine's."""

    slug, title, status = "forbidden-host", "This server answers only on this machine", 403


class NotFound(ProblemError):
    """There is nothing of this id or name."""

    slug, title, status = "not-found", "There is no such thing", 404


class NameTaken(ProblemError):
    """Another baseline has this name."""

    slug, title, status = "name-taken", "The name is taken", 409


class UploadTimeout(ProblemError):
    """The sender stopped in the middle of its body; nothing was stored."""

    slug, title, status = "upload-timeout", "The body did not come", 408


class TooLarge(ProblemError):
    """The body is larger than a limit, which is named."""

    slug, title, status = "too-large", "The body is too large", 413


class UnsupportedEncoding(ProblemError):
    """The body's Content-Encoding cannot be read."""

    slug, title, status = "unsupported-encoding", "The body's encoding cannot be read", 415


class Invalid(ProblemError):
    """The uploaded traces cannot be read; `errors` say where."""

    slug, title, status = "invalid-traces", "The traces cannot be read", 422


class QueueUnavailable(ProblemError):
    """Redis is away; nothing was stored."""

    slug, title, status = "queue-unavailable", "The queue does not answer", 503


class Overloaded(ProblemError):
    """As many uploads are being received as there are places; nothing was stored."""

    slug, title, status = "overloaded", "Too many uploads at once", 503


class StorageFull(ProblemError):
    """The object store has no room left; nothing was stored."""

    slug, title, status = "storage-full", "There is no room left to store this", 507


_HTTP = {405: "method-not-allowed", 415: "unsupported-media-type"}


def answer_problem(_: Request[Any, Any, Any], problem: ProblemError) -> Response[bytes]:
    """One of ours."""
    return problem.response()


def answer_full(_: Request[Any, Any, Any], error: StoreFullError) -> Response[bytes]:
    """No room: the operator's to mend, so it is logged."""
    _log.error("%s", error)
    return StorageFull("The disk or its quota is full; free some room, then send this again.").response()


def answer_http(request: Request[Any, Any, Any], error: HTTPException) -> Response[bytes]:
    """One of the framework's: an unknown path or method, a query that does not fit its types."""
    if error.status_code == 404:
        return NotFound("No such path; /openapi.json lists them.").response()
    if error.status_code == 400:
        return BadRequest(_reasons(error)).response()
    if error.status_code == 413:
        limit = request.route_handler.resolve_request_max_body_size()
        return TooLarge(f"A JSON request has at most {limit} bytes (limit {variable('request_bytes')}).").response()
    slug = _HTTP.get(error.status_code, "internal" if error.status_code >= 500 else "bad-request")
    document = _document(slug, error.detail or slug, error.status_code, error.detail or slug, [])
    return _response(document, error.status_code, dict(error.headers or {}))


def answer_depth(_: Request[Any, Any, Any], __: RecursionError) -> Response[bytes]:
    """JSON nested deeper than a request ever is."""
    return BadRequest("body: nested too deeply.").response()


def answer_fault(_: Request[Any, Any, Any], fault: Exception) -> Response[bytes]:
    """Anything else is our fault: logged, and not told."""
    _log.error("fault", exc_info=fault)
    return ProblemError("The service failed; its log says why.").response()


def _reasons(error: HTTPException) -> str:
    """The framework's reasons as a sentence: which parameter, and what is wrong with it."""
    extra = error.extra if isinstance(error.extra, list) else []
    reasons = [_reason(item.get("key"), item.get("message", "")) for item in extra if isinstance(item, dict)]
    return "; ".join(reasons) or error.detail


def _reason(key: str | None, message: str) -> str:
    if (key, message) == ("data", "'data'"):  # how the framework says that there was no body
        return "body: empty; send a JSON object, with Content-Type: application/json."
    return f"{key or 'body'}: {message}"


def _document(slug: str, title: str, status: int, detail: str, errors: list[Located]) -> bytes:
    return msgspec.json.encode(ProblemDocument(f"urn:simgap:problem:{slug}", title, status, detail, errors))


def _response(document: bytes, status: int, headers: dict[str, str]) -> Response[bytes]:
    return Response(document, status_code=status, headers=headers, media_type="application/problem+json")
