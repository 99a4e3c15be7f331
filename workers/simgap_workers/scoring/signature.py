"""The signature: one line that tells two labs whether their numbers compare.

Source: usi.md section 13, in the manner of sacreBLEU. Reports rank together only where signatures are equal.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

SCORING_REVISION = 1
"""Changes when, and only when, a number would."""


def task_set_digest(tasks: Sequence[str]) -> str:
    """Eight hexadecimal digits that two equal task sets share; tasks are sorted by code point."""
    return hashlib.sha256("\n".join(tasks).encode()).hexdigest()[:8]


def signature(
    *,
    profile: str,
    baseline: str,
    difficulty: str,
    tasks: Sequence[str],
    batches: int,
    runs: int,
    parts: int,
    stop_turns: str,
    resamples: int = 0,
) -> str:
    """All that a number depends on besides the traces. `parts` is 0 where there is no index."""
    return "|".join(
        (
            f"profile:{profile}",
            f"rev:{SCORING_REVISION}",
            f"base:{baseline[:8]}",
            f"diff:{difficulty}",
            f"tasks:{len(tasks)}:{task_set_digest(tasks)}",
            f"batches:{batches}",
            f"runs:{runs}",
            f"parts:{parts}",
            f"stop:{stop_turns}",
            f"boot:{resamples}",
        )
    )
