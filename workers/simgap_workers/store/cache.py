"""What is remembered in Redis: compiled baselines, so that a report need not fetch them from the store again.

They are remembered under the SHA-256 of their bytes, which the store's facts name, and used only where it is theirs:
whatever else stands there, of another version or by another hand, is a miss.
"""

from __future__ import annotations

import hashlib

from redis import Redis
from redis.exceptions import RedisError

_LIMIT_BYTES = 1 << 20
_SECONDS = 24 * 3600


class BaselineCache:
    """Compiled baselines by digest. A Redis that is away or full is a miss, never an error."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    def get(self, sha256: str) -> bytes | None:
        """The compiled baseline whose encoding has this digest, or None."""
        try:
            data = self._redis.get(_key(sha256))
        except RedisError:
            return None
        return data if isinstance(data, bytes) and digest(data) == sha256 else None

    def put(self, compiled: bytes) -> None:
        """Remember a compiled baseline for a day, if it is under 1 MiB."""
        if len(compiled) >= _LIMIT_BYTES:
            return
        try:
            self._redis.set(_key(digest(compiled)), compiled, ex=_SECONDS)
        except RedisError:
            return


def digest(compiled: bytes) -> str:
    """SHA-256 of a compiled baseline's encoding, in hexadecimal."""
    return hashlib.sha256(compiled).hexdigest()


def _key(sha256: str) -> str:
    return f"simgap:baseline:{sha256}"
