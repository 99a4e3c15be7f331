"""Other people's trace files, to be read where they lie: SIMGAP_SAMPLES, by default ../shared/samples."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SAMPLES = Path(os.environ.get("SIMGAP_SAMPLES", Path(__file__).parents[2] / "shared" / "samples"))


def sample(name: str) -> Path:
    """The sample's path; the test is skipped where the samples are missing."""
    path = SAMPLES / name
    if not path.exists():
        pytest.skip(f"the sample {name} is missing: set SIMGAP_SAMPLES to the folder of samples")
    return path
