"""Survey answers held against their scales (usi.md sections 7 and 15)."""

from __future__ import annotations

from typing import Any

from simgap_workers.readers.errors import RecordError, pointer_token, quoted
from simgap_workers.survey import FIELDS

_DASHES = str.maketrans({"\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2013": "-", "\u2014": "-", "\u2212": "-"})


def survey_labels(value: Any, pointer: str = "/survey", *, empty_is_rated: bool) -> dict[str, str] | None:
    """Label per answered field, or None where the trace is unrated.

    value: `{field: label}` or `{field: {"answer": label}}`; a null answer is missing. A survey without any field is
    rated with every answer missing in some formats, unrated in others.
    Raises RecordError: `unknown_survey_field`, `survey_label`, `wrong_type`.
    """
    if value is None:
        return None
    if not isinstance(value, dict):
        raise RecordError(pointer, "wrong_type", "A survey is an object of field and label, or null.")
    if not value and not empty_is_rated:
        return None
    labels: dict[str, str] = {}
    for field, given in value.items():
        here = pointer + pointer_token(field)
        scale = FIELDS.get(field)
        if scale is None:
            raise RecordError(
                here, "unknown_survey_field", f"The survey has no field {quoted(field)}; it has {', '.join(FIELDS)}."
            )
        answer = given
        if isinstance(given, dict):
            if given and "answer" not in given:
                raise RecordError(
                    here, "survey_label", 'An answer is a label, or an object with the label as "answer".'
                )
            here += "/answer"
            answer = given.get("answer")
        if answer is None:
            continue
        if not isinstance(answer, str) or answer not in scale:
            raise RecordError(here, "survey_label", _off_the_scale(field, answer, scale))
        labels[field] = answer
    return labels


def _off_the_scale(field: str, answer: Any, scale: dict[str, int]) -> str:
    given = quoted(answer) if isinstance(answer, str) else f"a {type(answer).__name__}"
    message = f"{field}: {given} is no label of its scale ({'; '.join(quoted(label) for label in scale)})."
    if isinstance(answer, str) and len(answer) < 200 and answer.translate(_DASHES) in scale:
        message += " It has a dash where the label has a hyphen-minus: write `-` (U+002D)."
    return message
