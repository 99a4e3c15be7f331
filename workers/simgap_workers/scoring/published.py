"""`taubench-2026`: people on τ-bench as arXiv:2603.11245 prints them, for whoever does not hold the human traces.

Source: usi.md section 10; arXiv:2603.11245v1, figures 3 and 8.
"""

from __future__ import annotations

import hashlib
import tomllib
from functools import cache
from importlib import resources

import msgspec

from simgap_workers.behaviour import METRICS
from simgap_workers.scoring.baseline import Baseline, Published
from simgap_workers.scoring.difficulty import published_difficulty

TAUBENCH_2026 = "taubench-2026"

_NOT_PER_CENT = ("verbosity_cv", "identifier_density", "words_per_turn", "opening_words")
_HALF_DIGIT = 0.05


@cache
def taubench_2026() -> Baseline:
    """The published baseline: a mean row without the people behind it, hence no ECE, no Eval and no index."""
    text = resources.files(__package__).joinpath("published/taubench_human.toml").read_text("utf-8")
    printed = tomllib.loads(text)
    scales = [1.0 if metric in _NOT_PER_CENT else 100.0 for metric in METRICS]
    published = Published(
        row=[printed["metrics"][metric] / scale for metric, scale in zip(METRICS, scales, strict=True)],
        rounding=[_HALF_DIGIT / scale for scale in scales],
        success_rate=printed["agent_success_pct"] / 100.0,
        tasks=sorted(published_difficulty()),
    )
    digest = hashlib.sha256(msgspec.json.encode(published)).hexdigest()
    return Baseline(TAUBENCH_2026, digest, published=published, difficulty="published")
