"""The behaviour metrics turn by turn, read straight off usi.md with Python's `re`: the peer that ours is held against.

Source: usi.md sections 1-3. It shares no code with the package; it reads the marker lists from the file that ships.
Its identifier pattern backtracks as the published one does, cubically in a run of underscores, and lazy mark-up is
quadratic: give it bounded text only.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Sequence
from math import sqrt
from pathlib import Path

MARKERS = Path(__file__).parents[2] / "workers/simgap_workers/behaviour/markers.toml"
PHRASES: dict[str, list[str]] = tomllib.loads(MARKERS.read_text(encoding="utf-8"))


def _source(phrase: str) -> str:
    """The pattern of one phrase: `[a|b]` is a group, all else stands for itself."""
    return re.sub(
        r"\[([^]]*)\]|([^[]+)",
        lambda part: re.escape(part[2]) if part[2] else "(?:" + "|".join(map(re.escape, part[1].split("|"))) + ")",
        phrase,
    )


def _holds(name: str, *open_patterns: str) -> re.Pattern[str]:
    return re.compile(r"\b(?:" + "|".join([*map(_source, PHRASES[name]), *open_patterns]) + r")\b")


POLITENESS = _holds("politeness")
EMOTION = _holds("emotion")
ACCUSATION = _holds("accusation")
UNCERTAINTY = _holds("uncertainty")
CERTAINTY = _holds("certainty")
PUSHBACK = _holds("pushback", r"(?:don't|dont|do not) ask me .* again")
CLARIFICATION = _holds("clarification", r"you (?:said|mentioned|told me|wrote|indicated) .{0,30}\?")
INFO_SEEKING = _holds("info_seeking", r"is (?:there|it|that) ", r"what.s the (?:status|price|cost|total|balance)")
PIVOT = _holds("pivot")
IDENTITY_CONFUSION = _holds("identity_confusion")
ACKNOWLEDGEMENT = re.compile(r"(?:" + "|".join(map(_source, PHRASES["acknowledgement"])) + r")[\s!.\-,]*")

MARKUP = re.compile(r"<\|think\|>.*?<\|/think\|>|<function=.*?(?:</function>|\Z)|<\|tool\|>.*?<\|/tool\|>", re.DOTALL)
RULES = r"#?\w*\d{5}\w*|\w+_\w+_\d{3,}|(?:gift_card|credit_card|paypal)_\w+|\w+@\w+\.\w+"
IDENTIFIER = re.compile(r"\b[a-z0-9]{6,}\b|" + RULES)
STRICT_IDENTIFIER = re.compile(r"\b(?=[a-z]*[0-9])[a-z0-9]{6,}\b|" + RULES)


def user_turns(messages: Sequence[tuple[str, str]], source: str) -> list[str]:
    """The user's contents among (role, content) pairs, meta messages left out."""
    meta = _meta_human if source == "human" else _meta_simulator
    return [content for role, content in messages if role == "user" and not meta(content)]


def _meta_human(content: str) -> bool:
    return (
        content.startswith(("\\tau ", "\\reward"))
        or "<|canvas|>" in content
        or "<|highlight|>" in content
        or "<|survey|>" in content
        or content.strip() == "/stop"
    )


def _meta_simulator(content: str) -> bool:
    return content.strip() == "###STOP###"


def metrics(contents: Sequence[str], strict: bool = True) -> dict[str, float] | None:
    """The measures of one trace from its user turns, by id; None where it has none.

    strict: with `strict_identifier_density`, which is not among the published metrics.
    """
    if not contents:
        return None
    texts = [MARKUP.sub("", content) for content in contents]
    lows = [text.lower() for text in texts]
    words = [len(text.split()) for text in texts]
    turns = len(texts)
    total = sum(words)
    mean = total / turns
    deviation = sqrt(sum((w - mean) ** 2 for w in words) / turns)
    triples: Counter[tuple[str, str, str]] = Counter()
    for low in lows:
        pieces = low.split()
        triples.update(zip(pieces, pieces[1:], pieces[2:], strict=False))
    most = max(triples.values(), default=0)
    pushback = clarification = info_seeking = 0
    for low in lows:
        if PUSHBACK.search(low):
            pushback += 1
        elif CLARIFICATION.search(low):
            clarification += 1
        elif INFO_SEEKING.search(low):
            info_seeking += 1
    measures = {
        "short_turn_rate": sum(w <= 3 for w in words) / turns,
        "politeness_rate": _share(POLITENESS, lows),
        "formality_rate": sum("—" in text or "–" in text for text in texts) / turns,
        "acknowledgement_rate": sum(ACKNOWLEDGEMENT.fullmatch(low.strip()) is not None for low in lows) / turns,
        "verbosity_cv": deviation / mean if turns > 1 and mean > 0 else 0.0,
        "repetition_rate": float(most > 10),
        "identity_confusion_rate": float(any(IDENTITY_CONFUSION.search(low) for low in lows)),
        "front_loading_rate": sum(words[:2]) / total if total else 0.0,
        "identifier_density": sum(len(IDENTIFIER.findall(low)) for low in lows) / turns,
        "words_per_turn": mean,
        "opening_words": float(words[0]),
        "uncertainty_rate": _share(UNCERTAINTY, lows),
        "certainty_rate": _share(CERTAINTY, lows),
        "pushback_rate": pushback / turns,
        "clarification_rate": clarification / turns,
        "info_seeking_rate": info_seeking / turns,
        "emotion_rate": _share(EMOTION, lows),
        "accusation_rate": _share(ACCUSATION, lows),
        "pivot_rate": _share(PIVOT, lows),
        "repetition_rate_paper": float(most > 5),
    }
    if strict:
        measures["strict_identifier_density"] = sum(len(STRICT_IDENTIFIER.findall(low)) for low in lows) / turns
    return measures


def _share(pattern: re.Pattern[str], lows: Sequence[str]) -> float:
    return sum(pattern.search(low) is not None for low in lows) / len(lows)
