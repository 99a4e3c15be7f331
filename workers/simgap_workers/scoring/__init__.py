"""From metrics to scores: D1-D4, ECE, Eval and the User-Sim Index. Pure.

Source: "Mind the Sim2Real Gap in User Simulation for Agentic Tasks" (arXiv:2603.11245); usi.md sections 4-13 and 15.
"""

from simgap_workers.scoring.baseline import (
    Baseline,
    BaselineError,
    compile_baseline,
    decode_baseline,
    encode_baseline,
)
from simgap_workers.scoring.calibration import pooled_difficulty
from simgap_workers.scoring.difficulty import DifficultyError, read_difficulty
from simgap_workers.scoring.score import Options, Simulator, score

__all__ = [
    "Baseline",
    "BaselineError",
    "DifficultyError",
    "Options",
    "Simulator",
    "compile_baseline",
    "decode_baseline",
    "encode_baseline",
    "pooled_difficulty",
    "read_difficulty",
    "score",
]
