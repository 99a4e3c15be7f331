"""What is remembered in Redis: compiled baselines, so that a report need not fetch them from the store again."""

from __future__ import annotations

from redis import Redis
from redis.exceptions import RedisError

_LIMIT_BYTES = 1 << 20
_SECONDS = 24 * 3600


class BaselineCache:
    """Compiled baselines by id. A Redis that is away or full is a miss, never an error."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    def get(self, baseline_id: str) -> bytes | None:
        """The compiled baseline, encoded, or None."""
        try:
            data = self._redis.get(_key(baseline_id))
        except RedisError:
            return None
        return data if isinstance(data, bytes) else None

    def put(self, baseline_id: str, compiled: bytes) -> None:
        """Remember a compiled baseline for a day, if it is under 1 MiB."""
        if len(compiled) >= _LIMIT_BYTES:
            return
        try:
            self._redis.set(_key(baseline_id), compiled, ex=_SECONDS)
        except RedisError:
            return


def _key(baseline_id: str) -> str:
    return f"simgap:baseline:{baseline_id}"
