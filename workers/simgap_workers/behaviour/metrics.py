"""The names of what is measured: the 19 metrics, their dimensions, and which columns a profile reads.

Source: arXiv:2603.11245, Table 6; usi.md section 2. Order everywhere is the order of usi.md.
"""

from __future__ import annotations

DIMENSIONS: dict[str, str] = {
    "short_turn_rate": "d1",
    "politeness_rate": "d1",
    "formality_rate": "d1",
    "acknowledgement_rate": "d1",
    "verbosity_cv": "d1",
    "repetition_rate": "d1",
    "identity_confusion_rate": "d1",
    "front_loading_rate": "d2",
    "identifier_density": "d2",
    "words_per_turn": "d2",
    "opening_words": "d2",
    "uncertainty_rate": "d3",
    "certainty_rate": "d3",
    "pushback_rate": "d3",
    "clarification_rate": "d3",
    "info_seeking_rate": "d3",
    "emotion_rate": "d4",
    "accusation_rate": "d4",
    "pivot_rate": "d4",
}

METRICS: tuple[str, ...] = tuple(DIMENSIONS)

REPETITION_PAPER = "repetition_rate_paper"
STRICT_IDENTIFIERS = "strict_identifier_density"

MEASURES: tuple[str, ...] = (*METRICS, REPETITION_PAPER, STRICT_IDENTIFIERS)
"""The columns of what `measure` returns."""

_REPLACED: dict[str, dict[str, str]] = {
    "tau-usi-1": {},
    "paper-1": {"repetition_rate": REPETITION_PAPER},
}


def profile_columns(profile: str) -> list[int]:
    """Which of the columns of MEASURES are the 19 metrics of a profile, in the order of METRICS.

    Raises ValueError, listing the known profiles, where the profile is none of them.
    """
    if profile not in _REPLACED:
        raise ValueError(f"{profile!r} is no metric profile; known are {', '.join(_REPLACED)}")
    replaced = _REPLACED[profile]
    return [MEASURES.index(replaced.get(metric, metric)) for metric in METRICS]
