"""What an instance id says beside the task: the batch (`_ann2`) or the run (`_3`) at its end."""

from __future__ import annotations

from simgap_workers.readers.errors import RecordError

_ANNOTATOR = "_ann"


def batch_of(key: str) -> tuple[str, int | None]:
    """The task and the batch of a key that ends in `_ann<N>`, N from 1; else the key and None."""
    task, mark, number = key.rpartition(_ANNOTATOR)
    if mark and task and _is_number(number) and int(number) >= 1:
        return task, int(number)
    return key, None


def run_of(key: str) -> tuple[str, int]:
    """The task and the run of a key that ends in `_<run>`, runs from 1. Raises RecordError (`no_run_in_id`)."""
    task, _, number = key.rpartition("_")
    if task and _is_number(number) and int(number) >= 1:
        return task, int(number)
    raise RecordError(
        "", "no_run_in_id", "The id does not end in a run (_1, _2, …). Where ids hold no runs, give runs_from_id=no."
    )


def ends_in_two_numbers(key: str) -> bool:
    """Whether a key is `<domain>_<task>_<run>`."""
    parts = key.rsplit("_", 2)
    return len(parts) == 3 and parts[0] != "" and _is_number(parts[1]) and _is_number(parts[2])


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 9
