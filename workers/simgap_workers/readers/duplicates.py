"""One id, or one (task, run, batch), twice: nothing says which of the two is meant (usi.md section 15)."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from simgap_workers.readers.errors import quoted


class Duplicate(Struct, frozen=True):
    """Place `index` repeats place `first`. `code` is `duplicate_id` or `duplicate_trace`."""

    index: int
    first: int
    code: str


def find_duplicates(
    ids: Sequence[str], tasks: Sequence[str], runs: Sequence[int], batches: Sequence[int | None]
) -> list[Duplicate]:
    """The later ones of each repeated id or (task, run, batch), in order; columns of equal length.

    A repeated one does not itself make others repeated: what is left without them has no duplicates.
    """
    if len(set(ids)) == len(ids) == len(set(zip(tasks, runs, batches, strict=True))):
        return []
    by_id: dict[str, int] = {}
    by_place: dict[tuple[str, int, int | None], int] = {}
    found: list[Duplicate] = []
    for index, (trace_id, task, run, batch) in enumerate(zip(ids, tasks, runs, batches, strict=True)):
        place = (task, run, batch)
        if trace_id in by_id:
            found.append(Duplicate(index, by_id[trace_id], "duplicate_id"))
        elif place in by_place:
            found.append(Duplicate(index, by_place[place], "duplicate_trace"))
        else:
            by_id[trace_id] = index
            by_place[place] = index
    return found


def duplicate_message(
    code: str,
    trace_id: str,
    task: str,
    run: int,
    batch: int | None,
    first: tuple[int, str],
    again: tuple[int, str],
) -> str:
    """The error's text. first, again: the line and, in a document, the pointer of each of the two."""
    if code == "duplicate_id":
        what = f"The id {quoted(trace_id)}"
    else:
        of_batch = f" of batch {batch}" if batch else ""
        what = f"Run {run}{of_batch} of task {quoted(task)}"
    return f"{what} stands on {_place(*first)} and again on {_place(*again)}. Keep one, or give on_error=skip."


def _place(line: int, pointer: str) -> str:
    return f"line {line} ({pointer})" if pointer else f"line {line}"
