"""The post-task survey and its ordinal scales.

Source: arXiv:2603.11245, appendix A.3; usi.md section 7. Labels are compared as given; both ends of
`question_amount_preference` are the low value.
"""

from __future__ import annotations

import tomllib
from importlib import resources


def _scales() -> dict[str, dict[str, int]]:
    text = resources.files("simgap_workers").joinpath("survey.toml").read_text("utf-8")
    return tomllib.loads(text)


FIELDS: dict[str, dict[str, int]] = _scales()
"""Field -> {label: value}, fields and labels in the order of the survey."""
