"""How fast the measures are extracted from JSON bytes, against the plain implementation, and what hostile turns cost.

`python -m tests.bench.extraction` from the root of the checkout. Both sides run in turns in one process, so that a busy
machine slows both, and give the same 21 measures; `plain, 19` leaves out the strict identifiers, which the published
scorer does not have. Times are of the processor. Exit status 1 where a limit is missed, each named in a line on stderr.
The tau-bench sample is found through SIMGAP_SAMPLES (default ../shared/samples); without it the run fails, saying so.
"""

from __future__ import annotations

import gc
import json
import random
import sys
from collections.abc import Callable, Sequence
from statistics import median
from time import process_time

from simgap_workers.behaviour import measure
from simgap_workers.measuring import measure_reading
from simgap_workers.readers import ReadOptions, read
from tests.samples import SAMPLES
from tests.workers import plain

SAMPLE = "tau_bench_v1/gpt-4o-airline.json"
REPEATS = 7
STRETCH = 4_000
LEAST_SPEEDUP = 8.0
MOST_JSON_TIMES = 20.0
MOST_HOSTILE_SECONDS = 0.15
MOST_GROWTH = 2.5
MEGABYTE = 1_000_000

HOSTILE = {
    "underscores": "_",
    "a_": "a_",
    "é": "é",
    "1": "1",
    "@": "@",
    "<|think|>": "<|think|>",
    "don't ask me": "don't ask me ",
    "you said": "you said ",
    "you said ?": "you said ?a ",
    "addresses": "a@b.",
    "gift cards": "gift_card_",
}

OPENINGS = ["hi", "hello", "yes", "no", "ok", "sure", "well", "so", "actually", "hmm", "thanks", "please", "right"]
SUBJECTS = ["i need to change", "i want to cancel", "can you check", "where is", "what about", "could i get", "i lost"]
OBJECTS = [
    "my order",
    "the flight to Boston",
    "reservation ZFA04Y",
    "my refund",
    "the blue one",
    "it",
    "order #W2378156",
]
TAILS = ["", ".", "?", "!", " today", " please", ", i think", " instead", " by email anna@mail.com", " — thanks"]
REPLIES = ["Could you give me your user id?", "One moment.", "Done. Anything else?", "I have found it."]


_OPTIONS = ReadOptions(format="simgap", users_only=True)


def tau_bench_lines() -> list[bytes]:
    """The sample's traces, one a line in the product's own format; raises OSError where there is no sample."""
    return [
        _line(
            f"{number}",
            f"{record['task_id']}",
            record["trial"] + 1,
            [{"role": m["role"], "content": m["content"]} for m in record["traj"]],
            record["reward"],
        )
        for number, record in enumerate(json.loads((SAMPLES / SAMPLE).read_bytes()))
    ]


def short_chat_lines(traces: int = 20_000, seed: int = 7) -> list[bytes]:
    """Made chats of 3-6 short user turns with an answer after each."""
    draw = random.Random(seed)
    lines = []
    for number in range(traces):
        messages = []
        for _ in range(draw.randint(3, 6)):
            said = draw.choice(OPENINGS)
            if draw.random() < 0.7:
                said += f" {draw.choice(SUBJECTS)} {draw.choice(OBJECTS)}"
            messages.append({"role": "user", "content": said + draw.choice(TAILS)})
            messages.append({"role": "assistant", "content": draw.choice(REPLIES)})
        lines.append(_line(f"chat_{number}", f"chat_{number}", 1, messages, float(draw.random() < 0.5)))
    return lines


def _line(name: str, task: str, run: int, messages: list[dict[str, str]], reward: float) -> bytes:
    return json.dumps({"id": name, "task_id": task, "run": run, "messages": messages, "reward": reward}).encode()


def ours(lines: Sequence[bytes]) -> None:
    """What a worker does with a piece: its bytes to a shard."""
    measure_reading(read(b"\n".join(lines), _OPTIONS))


def plainly(lines: Sequence[bytes], strict: bool = True) -> None:
    for line in lines:
        messages = [(m["role"], m["content"] or "") for m in json.loads(line)["messages"]]
        plain.metrics(plain.user_turns(messages, "simulator"), strict)


def plainly_19(lines: Sequence[bytes]) -> None:
    plainly(lines, strict=False)


def only_json(lines: Sequence[bytes]) -> None:
    for line in lines:
        json.loads(line)


def seconds(work: Callable[[Sequence[bytes]], None], lines: Sequence[bytes]) -> float:
    gc.collect()
    start = process_time()
    work(lines)
    return process_time() - start


def hostile_seconds(piece: str) -> tuple[float, float]:
    """The best times from one turn of half a megabyte, and of a whole one, to its measures."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(REPEATS):
        for taken, characters in zip(times, (MEGABYTE // 2, MEGABYTE), strict=True):
            turn = (piece * (characters // len(piece) + 1))[:characters]
            start = process_time()
            measure([[turn]])
            taken.append(process_time() - start)
    return min(times[0]), min(times[1])


def compare(name: str, lines: list[bytes]) -> tuple[float, float]:
    """Print a row a ratio; the medians of plain / ours and of plain / json.loads.

    A repeat goes through the lines in stretches, and each stretch is given to all sides in turn.
    """
    sides = (plainly, plainly_19, ours, only_json)
    stretches = [lines[first : first + STRETCH] for first in range(0, len(lines), STRETCH)]
    for work in sides:
        work(lines[:STRETCH])
    speedups, speedups_19, json_times, our_times = [], [], [], []
    for _ in range(REPEATS):
        times = [[seconds(work, stretch) for work in sides] for stretch in stretches]
        plain_time, plain_19_time, our_time, json_time = map(sum, zip(*times, strict=True))
        speedups.append(plain_time / our_time)
        speedups_19.append(plain_19_time / our_time)
        json_times.append(plain_time / json_time)
        our_times.append(our_time)
    rows = (("plain / ours", speedups), ("plain, 19 / ours", speedups_19), ("plain / json.loads", json_times))
    for label, ratios in rows:
        print(f"{name:14} {label:20} {min(ratios):7.2f} {median(ratios):7.2f} {max(ratios):7.2f}")
    megabytes = sum(map(len, lines)) / 1e6
    print(f"{name:14} {'ours, ms a MB':20} {1e3 * min(our_times) / megabytes:7.2f}")
    return median(speedups), median(json_times)


def main() -> int:
    """Print the tables; 1 where a limit is missed."""
    missed = []
    print(f"{'traces':14} {'ratio':20} {'min':>7} {'median':>7} {'max':>7}")
    try:
        speedup, json_times = compare("tau-bench", tau_bench_lines())
        if speedup < LEAST_SPEEDUP:
            missed.append(f"tau-bench: {speedup:.2f} times the plain implementation; at least {LEAST_SPEEDUP:g}")
        if json_times > MOST_JSON_TIMES:
            missed.append(f"plain: {json_times:.2f} times json.loads on tau-bench; at most {MOST_JSON_TIMES:g}")
    except OSError as error:
        missed.append(f"tau-bench: no sample ({error.strerror}: {error.filename}); set SIMGAP_SAMPLES")
    speedup, _ = compare("short chats", short_chat_lines())
    if speedup < LEAST_SPEEDUP:
        missed.append(f"short chats: {speedup:.2f} times the plain implementation; at least {LEAST_SPEEDUP:g}")

    print(f"\n{'turn of':14} {'1 MB, s':>8} {'to 0.5 MB':>10}")
    for name, piece in HOSTILE.items():
        half, whole = hostile_seconds(piece)
        growth = whole / half
        print(f"{name:14} {whole:8.3f} {growth:10.2f}")
        if growth > MOST_GROWTH:
            missed.append(f"{name}: 1 MB takes {growth:.2f} times 0.5 MB; at most {MOST_GROWTH:g}")
        if whole > MOST_HOSTILE_SECONDS:
            missed.append(f"{name}: {whole:.3f} s a MB; at most {MOST_HOSTILE_SECONDS:g}")
    for line in missed:
        print(f"missed: {line}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
