"""`simgap`: score files here and now, or run the service.

Exit codes: 0 done, 1 our fault, 2 bad input (on stderr: the file, the line, the JSON pointer, and what to do).
"""

from __future__ import annotations

import argparse
import io
import os
import sys
import traceback
from collections.abc import Callable, Sequence

from simgap_service import offline
from simgap_service.settings import Settings, SettingsError, read_settings
from simgap_workers.duties import QUEUES

DONE, OUR_FAULT, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; no input ends in a traceback."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    arguments = _parser().parse_args(argv)
    try:
        code: int = arguments.run(arguments)
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except offline.BadInput as bad:
        print("\n".join(bad.lines), file=sys.stderr)
        return BAD_INPUT
    except BrokenPipeError:
        # Whoever read our output has gone (`| head`): there is nobody to tell.
        _say_no_more()
        return DONE
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        # Every file that is read is opened where its name is known: what is left is our own output.
        print(f"simgap: the output cannot be written: {error.strerror or error}.", file=sys.stderr)
        _say_no_more()
        return OUR_FAULT
    except Exception as error:
        if os.environ.get("SIMGAP_DEBUG"):
            traceback.print_exc()
        print(
            f"simgap: {type(error).__name__}: {error}\n"
            "This is our fault, not the file's. Run it again with SIMGAP_DEBUG=1 and send us what it prints.",
            file=sys.stderr,
        )
        return OUR_FAULT


def _say_no_more() -> None:
    """Keep Python from trying, at exit, to write what could not be written."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="simgap", description="How human are your simulated users?")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    metrics = commands.add_parser("metrics", help="the 19 metrics of each trace of a file, as NDJSON")
    metrics.add_argument("file", metavar="FILE")
    _add_reading_options(metrics)
    metrics.set_defaults(run=offline.metrics)

    score = commands.add_parser("score", help="a report on one simulator, or on several, against people")
    score.add_argument("files", metavar="FILE", nargs="+", help="the traces of one simulator each")
    score.add_argument(
        "--baseline", required=True, metavar="NAME|FILE", help="taubench-2026, demo, or a file of people's traces"
    )
    score.add_argument(
        "--surveys",
        action="append",
        default=[],
        metavar="[NAME=]FILE",
        help="survey answers apart from the traces; with several simulators each is named",
    )
    score.add_argument(
        "--difficulty",
        metavar="published|pooled|FILE",
        help="of the tasks: τ-bench's, pooled over the FILEs, or a map in JSON or CSV (default: the baseline's)",
    )
    score.add_argument("--name", help="what to call the simulator (default: the file's stem)")
    score.add_argument("--json", action="store_true", help="the report as JSON; a list where there are several FILEs")
    _add_reading_options(score)
    score.set_defaults(run=offline.score)

    formats = commands.add_parser("formats", help="the formats and the names of roles that can be read")
    formats.set_defaults(run=offline.formats)

    up = commands.add_parser("up", help="run the whole service on this machine: Valkey, workers, reconciler, API")
    up.set_defaults(run=_with_settings(_up))
    serve = commands.add_parser("serve", help="run the API alone, for a cluster")
    serve.set_defaults(run=_with_settings(_serve))
    worker = commands.add_parser("worker", help="run one worker of one queue alone, for a cluster")
    worker.add_argument("--queue", required=True, choices=QUEUES, help="the queue that it works on")
    worker.set_defaults(run=_with_settings(_work))
    reconcile = commands.add_parser("reconcile", help="run the reconciler alone, for a cluster: it finds lost work")
    reconcile.set_defaults(run=_with_settings(_reconcile))
    return parser


def _add_reading_options(parser: argparse.ArgumentParser) -> None:
    """What a caller can say about a file (formats.md), and the profile."""
    parser.add_argument("--format", help="the format (default: recognised from the content)")
    parser.add_argument("--source", choices=("human", "simulator"), help="who played the user")
    parser.add_argument("--profile", choices=("tau-usi-1", "paper-1"), default="tau-usi-1", help="the metric profile")
    parser.add_argument("--domain", help="of a τ-bench file's tasks: airline or retail")
    parser.add_argument(
        "--role",
        action="append",
        default=[],
        metavar="A=B",
        help="messages of role A are B's (user, assistant, system, tool); A=- drops them; repeatable",
    )
    parser.add_argument("--stop-turns", choices=("drop", "keep", "trim"), help="what becomes of ###STOP### turns")
    parser.add_argument("--runs-from-id", choices=("yes", "no"), help="whether an id's last number is the run")
    parser.add_argument(
        "--on-error", choices=("refuse", "skip"), default="refuse", help="what one unreadable record does to the file"
    )


def _up(_arguments: argparse.Namespace, settings: Settings) -> int:
    from simgap_service.supervisor import up

    return up(settings)


def _serve(_arguments: argparse.Namespace, settings: Settings) -> int:
    from simgap_service.processes import serve

    return serve(settings)


def _work(arguments: argparse.Namespace, settings: Settings) -> int:
    from simgap_service.processes import work

    return work(settings, arguments.queue)


def _reconcile(_arguments: argparse.Namespace, settings: Settings) -> int:
    from simgap_service.processes import reconcile

    return reconcile(settings)


def _with_settings(
    process: Callable[[argparse.Namespace, Settings], int],
) -> Callable[[argparse.Namespace], int]:
    """A process of the service, run with the settings of SIMGAP_*; what keeps it from starting is bad input."""

    def run(arguments: argparse.Namespace) -> int:
        try:
            return process(arguments, read_settings(os.environ))
        except (SettingsError, OSError) as error:
            raise offline.BadInput(f"simgap: the service cannot run: {error}") from None

    return run


if __name__ == "__main__":
    sys.exit(main())
