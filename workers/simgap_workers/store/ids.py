"""Names of things: `ts_`, `bl_` and `rp_` with 128 bits in hexadecimal.

Object keys are built from ids alone, and only from ids that passed `is_id`: nothing that a caller wrote becomes a path.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import Literal

Kind = Literal["ts", "bl", "rp"]
KINDS: tuple[Kind, ...] = ("ts", "bl", "rp")

_HEX = frozenset("0123456789abcdef")
_DIGITS = 32


def new_id(kind: Kind) -> str:
    """A random id."""
    return f"{kind}_{secrets.token_hex(_DIGITS // 2)}"


def keyed_id(kind: Kind, secret: bytes, *parts: str) -> str:
    """The id that these parts always have under this secret (HMAC-SHA-256, cut to 128 bits)."""
    message = b"\x00".join(part.encode("utf-8", "surrogatepass") for part in (kind, *parts))
    return f"{kind}_{hmac.new(secret, message, hashlib.sha256).hexdigest()[:_DIGITS]}"


def is_id(text: str, *kinds: Kind) -> bool:
    """True for an id of one of these kinds (of any kind where none is named)."""
    kind, mark, digits = text.partition("_")
    return bool(mark) and kind in (kinds or KINDS) and len(digits) == _DIGITS and _HEX.issuperset(digits)


def checked(text: str, *kinds: Kind) -> str:
    """The id itself; raises ValueError for anything else."""
    if not is_id(text, *kinds):
        raise ValueError(f"not an id of {' or '.join(kinds or KINDS)}")
    return text
