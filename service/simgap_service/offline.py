"""`simgap metrics`, `score` and `formats`: from files to numbers in this process, with neither Redis nor HTTP."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np

from simgap_client.models import Located
from simgap_workers.behaviour import MEASURES, METRICS, profile_columns
from simgap_workers.local import read_surveys, read_traces
from simgap_workers.readers import FORMATS, ROLE_NAMES, InvalidTraces, ReadOptions
from simgap_workers.reports.table import counted, render_reports
from simgap_workers.reports.usi import encode_report
from simgap_workers.scoring import (
    Baseline,
    BaselineError,
    DifficultyError,
    Options,
    Simulator,
    compile_baseline,
    pooled_difficulty,
    read_difficulty,
)
from simgap_workers.scoring import score as score_simulator
from simgap_workers.shard import Shard
from simgap_workers.store.baselines import builtin, builtin_names
from simgap_workers.trace import SurveyAnswer

_STRICT = MEASURES.index("strict_identifier_density")


class BadInput(Exception):
    """The caller's file or argument cannot be used; `lines` say where and what to do."""

    def __init__(self, *lines: str) -> None:
        super().__init__(lines[0])
        self.lines = lines


def metrics(arguments: argparse.Namespace) -> int:
    """Print one line of JSON for each trace, and for each record that is left out.

    For people's gated TAU-USI file too: it is the caller's own, on the caller's machine. The service gives aggregates.
    """
    traces = _read_traces(arguments.file, _read_options(arguments))
    _print_warnings(arguments.file, traces)
    columns = profile_columns(arguments.profile)
    write = sys.stdout.buffer.write
    for _, line in sorted(_metric_lines(traces, columns), key=lambda numbered: numbered[0]):
        write(msgspec.json.encode(line) + b"\n")
    sys.stdout.buffer.flush()
    return 0


def score(arguments: argparse.Namespace) -> int:
    """Print the reports of one or several simulators, as a table or as JSON."""
    options = _read_options(arguments)
    names = _names(arguments.files, arguments.name)
    traces = {name: _read_traces(file, options) for name, file in names.items()}
    apart = ReadOptions(runs_from_id=options.runs_from_id, on_error=options.on_error)
    surveys = _surveys(arguments.surveys, list(names), apart)
    people = ReadOptions(source="human", domain=options.domain, roles=options.roles, on_error=options.on_error)
    baseline = _baseline(arguments.baseline, people)
    with _bad_input(str(arguments.difficulty)):
        difficulty = _difficulty(arguments.difficulty, list(traces.values()))
        reports = [
            score_simulator(Simulator(name, shard, surveys.get(name)), baseline, Options(arguments.profile, difficulty))
            for name, shard in traces.items()
        ]
    if not arguments.json:
        sys.stdout.write(render_reports(reports))
    else:
        encoded = [encode_report(report) for report in reports]
        whole = encoded[0] if len(encoded) == 1 else b"[" + b",".join(encoded) + b"]"
        sys.stdout.buffer.write(whole + b"\n")
        sys.stdout.buffer.flush()
    return 0


def formats(_arguments: argparse.Namespace) -> int:
    """Print the formats that are recognised, and what the four roles may be called."""
    width = max(map(len, FORMATS))
    lines = [f"{name:<{width}}  {one.description}" for name, one in FORMATS.items()]
    lines += ["", "Roles, in any case; others are mapped with --role A=B, or dropped with --role A=-:"]
    lines += [f"{role:<{width}}  {', '.join(names)}" for role, names in ROLE_NAMES.items()]
    print("\n".join(lines))
    return 0


def _metric_lines(traces: Shard, columns: Sequence[int]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each trace's line of output with the line of the file it stands on, then those of the excluded records."""
    for place in range(len(traces)):
        values = traces.measures[place]
        absent = bool(np.isnan(values[0]))
        line: dict[str, Any] = {
            "id": traces.id[place],
            "task_id": traces.task_id[place],
            "run": traces.run[place],
            "batch": traces.batch[place] or None,
            "metrics": None if absent else dict(zip(METRICS, values[list(columns)].tolist(), strict=True)),
            "diagnostics": {
                "user_turns": traces.turns[place],
                "strict_identifier_density": None if absent else float(values[_STRICT]),
            },
        }
        if absent:
            line["reason"] = "no_user_turn"
        yield traces.line[place], line
    for record in traces.excluded:
        yield (
            record.line,
            {
                "id": record.id,
                "task_id": record.task_id,
                "run": record.run,
                "batch": record.batch,
                "metrics": None,
                "diagnostics": None,
                "reason": record.reason,
            },
        )


def _read_options(arguments: argparse.Namespace) -> ReadOptions:
    roles = {}
    for mapping in arguments.role:
        before, separator, after = mapping.partition("=")
        if not (separator and before and after):
            raise BadInput(f"simgap: --role {mapping}: say A=B to map a role, or A=- to drop its messages.")
        roles[before] = after
    return ReadOptions(
        format=arguments.format,
        source=arguments.source,
        domain=None if arguments.domain is None else _text(arguments.domain),
        roles=roles,
        stop_turns=arguments.stop_turns,
        runs_from_id=None if arguments.runs_from_id is None else arguments.runs_from_id == "yes",
        on_error=arguments.on_error,
    )


def _read_traces(file: str, options: ReadOptions) -> Shard:
    with _bad_input(file):
        traces, skipped = read_traces(Path(file), options)
    for error in skipped:
        print(f"skipped: {_place(file, error)}", file=sys.stderr)
    return traces


def _print_warnings(file: str, traces: Shard) -> None:
    for warned in traces.warnings:
        print(f"{file}: warning: {counted(warned)}", file=sys.stderr)


def _text(argument: str) -> str:
    """An argument as text that can be written out: bytes of it that are not UTF-8 become U+FFFD."""
    return os.fsencode(argument).decode("utf-8", "replace")


def _names(files: Sequence[str], name: str | None) -> dict[str, str]:
    """Each simulator's name and file: the file's stem, or the path where two stems are the same."""
    if name is not None:
        if len(files) > 1:
            raise BadInput("simgap: --name is for one FILE; several are called by their files' stems.")
        return {_text(name): files[0]}
    stems = [_text(Path(file).stem) for file in files]
    names = {stem if stems.count(stem) == 1 else _text(file): file for stem, file in zip(stems, files, strict=True)}
    if len(names) < len(files):
        raise BadInput("simgap: the same FILE is given twice.")
    return names


def _surveys(given: Sequence[str], names: Sequence[str], options: ReadOptions) -> dict[str, list[SurveyAnswer]]:
    """The survey answers of each simulator that --surveys names; with one simulator the name may be left out."""
    surveys = {}
    for argument in given:
        fitting = [name for name in names if argument.startswith(f"{name}=")]
        name = max(fitting, key=len, default="")
        file = argument.removeprefix(f"{name}=") if fitting else argument
        if not fitting and len(names) > 1:
            raise BadInput(f"simgap: --surveys {argument}: say NAME=FILE, NAME one of {', '.join(names)}.")
        name = name or names[0]
        if name in surveys:
            raise BadInput(f"simgap: --surveys is given twice for {name}.")
        with _bad_input(file):
            surveys[name] = read_surveys(Path(file), options)
    return surveys


def _baseline(given: str, options: ReadOptions) -> Baseline:
    """A built-in baseline by its name, else a file of people's traces."""
    built_in = builtin(given)
    if built_in is not None:
        return built_in
    with _bad_input(given):
        if not Path(given).exists():
            raise BadInput(
                f"simgap: --baseline {given}: there is no such file, and no built-in baseline of this name "
                f"(they are {', '.join(builtin_names())})."
            )
        people = _read_traces(given, options)
        _print_warnings(given, people)
        return compile_baseline(_text(Path(given).stem), [people])


def _difficulty(given: str | None, traces: Sequence[Shard]) -> Mapping[str, float] | Literal["published"] | None:
    if given is None:
        return None
    if given == "published":
        return "published"
    if given == "pooled":
        return pooled_difficulty([shard.outcomes() for shard in traces])
    return read_difficulty(Path(given).read_bytes())


@contextmanager
def _bad_input(file: str) -> Iterator[None]:
    """Turn what is wrong with a file into lines that name it."""
    try:
        yield
    except InvalidTraces as invalid:
        raise BadInput(*(_place(file, error) for error in invalid.errors)) from None
    except (BaselineError, DifficultyError) as unusable:
        raise BadInput(f"{file}: {unusable}") from None
    except IsADirectoryError:
        raise BadInput(f"{file}: this is a folder. Give one of the files in it.") from None
    except OSError as error:
        raise BadInput(f"{file}: {error.strerror or error}.") from None


def _place(file: str, error: Located) -> str:
    """`traces.jsonl line 41, /messages/3/role: what is wrong and what to do`."""
    line = f" line {error.line}" if error.line else ""
    pointer = f", {error.pointer}" if error.pointer else ""
    return f"{file}{line}{pointer}: {error.message}"
