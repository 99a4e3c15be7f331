"""Behaviour: from the turns of a trace's user to the 19 metrics of the User-Sim Index.

Source: "Mind the Sim2Real Gap in User Simulation for Agentic Tasks" (arXiv:2603.11245), as usi.md sections 1-3 define
it; values equal the tau-USI scorer that OdysSim publishes.
"""

from simgap_workers.behaviour.extraction import measure
from simgap_workers.behaviour.metrics import DIMENSIONS, MEASURES, METRICS, profile_columns
from simgap_workers.behaviour.turns import user_turns

__all__ = ["DIMENSIONS", "MEASURES", "METRICS", "measure", "profile_columns", "user_turns"]
