"""`simgap metrics` and `simgap score` as their user runs them: what they print, and how they refuse."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from simgap_service.cli import main
from simgap_workers.behaviour import METRICS
from tests.samples import sample

DEMO = Path(__file__).parents[2] / "workers" / "simgap_workers" / "store" / "demo"


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Outcome]


@pytest.fixture
def simgap(capfdbinary: pytest.CaptureFixture[bytes]) -> Run:
    def run(*arguments: object) -> Outcome:
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as stopped:
            code = int(stopped.code or 0)
        out, err = capfdbinary.readouterr()
        return Outcome(code, out.decode(), err.decode())

    return run


def _trace(**fields: Any) -> str:
    return json.dumps({"task_id": "retail_0", "messages": [{"role": "user", "content": "hi"}], **fields})


def _lines(outcome: Outcome) -> list[dict[str, Any]]:
    assert outcome.code == 0, outcome.err
    return [json.loads(line) for line in outcome.out.splitlines()]


# --- metrics --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "tau_bench_v1/gpt-4o-airline.sample.json",
        "tau_bench_v1/metrics_results.sample.json",
        "odyssim/gpt-4o_task_results.sample.json",
        "openai_jsonl/sft.sample.jsonl",
    ],
)
def test_every_sample_has_the_metrics_of_its_manifest(simgap: Run, name: str) -> None:
    expected = json.loads(sample("manifest.json").read_text())[name]["expected"]
    lines = _lines(simgap("metrics", sample(name), "--stop-turns", "keep"))
    assert len(lines) == len(expected) > 0
    for line, wanted in zip(lines, expected.values(), strict=True):
        if wanted["metrics"] is None:
            assert line["metrics"] is None
            assert line["reason"] == "error"
            continue
        assert list(line["metrics"]) == list(METRICS)
        for metric, value in wanted["metrics"].items():
            assert math.isclose(line["metrics"][metric], value, rel_tol=1e-12), (line["id"], metric)


def test_a_trace_without_a_user_turn_has_null_metrics_with_its_reason(simgap: Run, tmp_path: Path) -> None:
    file = tmp_path / "t.ndjson"
    file.write_text(_trace(messages=[{"role": "assistant", "content": "hello?"}]) + "\n" + _trace(run=2) + "\n")
    first, second = _lines(simgap("metrics", file))
    assert (first["metrics"], first["reason"]) == (None, "no_user_turn")
    assert second["metrics"]["words_per_turn"] == 1.0
    assert "reason" not in second


def test_a_record_left_out_prints_its_line_too(simgap: Run, tmp_path: Path) -> None:
    file = tmp_path / "t.ndjson"
    file.write_text(_trace(keep=False) + "\n" + _trace(run=2))
    assert [line.get("reason") for line in _lines(simgap("metrics", file))] == ["keep_false", None]


def test_the_profile_paper_1_counts_a_sequence_repeated_six_times_and_tau_usi_1_does_not(
    simgap: Run, tmp_path: Path
) -> None:
    file = tmp_path / "t.ndjson"
    file.write_text(_trace(messages=[{"role": "user", "content": "where is it"}] * 6))
    values = [
        _lines(simgap("metrics", file, "--profile", profile))[0]["metrics"]["repetition_rate"]
        for profile in ("tau-usi-1", "paper-1")
    ]
    assert values == [0.0, 1.0]


def test_a_persons_interface_messages_are_no_turns_and_a_simulators_are(simgap: Run, tmp_path: Path) -> None:
    file = tmp_path / "t.ndjson"
    file.write_text(_trace(messages=[{"role": "user", "content": text} for text in ("hi", "/stop", "\\reward 1")]))
    turns = [
        _lines(simgap("metrics", file, "--source", source))[0]["diagnostics"]["user_turns"]
        for source in ("human", "simulator")
    ]
    assert turns == [1, 3]


def test_lines_that_end_in_a_later_piece_keep_their_line_numbers(simgap: Run, tmp_path: Path) -> None:
    # 3 MB a line: the file is read in several pieces of at most 8 MiB.
    file = tmp_path / "big.ndjson"
    long = [{"role": "user", "content": "word " * 600_000}]
    records = [_trace(run=run, messages=long) for run in range(1, 6)]
    file.write_text("\n".join([*records, _trace(run=6, reward=2)]))
    outcome = simgap("metrics", file)
    assert outcome.code == 2
    assert f"{file} line 6, /reward: " in outcome.err
    file.write_text("\n".join([*records, _trace(run=1)]))
    outcome = simgap("metrics", file)
    assert outcome.code == 2
    assert "line 1 and again on line 6" in outcome.err
    lines = _lines(simgap("metrics", file, "--on-error", "skip"))
    assert [line.get("reason") for line in lines] == [None] * 5 + ["duplicate"]


def test_a_closed_pipe_ends_quietly(tmp_path: Path) -> None:
    file = tmp_path / "t.ndjson"
    file.write_text("\n".join(_trace(run=run) for run in range(1, 3000)))
    command = f"{sys.executable} -m simgap_service.cli metrics {file} | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert json.loads(done.stdout)["run"] == 1


# --- score ----------------------------------------------------------------------------------------------------------


def test_the_taubench_file_scores_200_traces_50_tasks_and_4_runs_against_the_published_people(simgap: Run) -> None:
    outcome = simgap("score", sample("tau_bench_v1/gpt-4o-airline.json"), "--baseline", "taubench-2026", "--json")
    report = json.loads(outcome.out)
    assert outcome.code == 0
    assert report["simulator"] == {
        "name": "gpt-4o-airline",
        "traces": 200,
        "tasks": 50,
        "runs": 4,
        "runs_without_row": [],
    }
    for part in ("d1", "d2", "d3", "d4"):
        assert 0 < report["scores"][part]["value"] < 100
    for part in ("ece", "eval", "usi5", "usi6"):
        assert report["scores"][part]["value"] is None
        assert "Upload" in report["scores"][part]["reason"]
    assert report["coverage"]["received"] == report["coverage"]["scored"] == 200


def test_the_table_shows_people_above_the_simulators_and_metrics_by_points_lost(simgap: Run) -> None:
    files = [DEMO / "simulator-polite.ndjson", DEMO / "simulator-terse.ndjson"]
    outcome = simgap("score", *files, "--baseline", "demo")
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    assert lines[0].split() == ["D1", "D2", "D3", "D4", "Eval", "ECE", "USI-5", "USI-6"]
    names = [line.split("  ")[0] for line in lines[1 : lines.index("")]]
    assert [name for name in names if not name.startswith("people")] == ["simulator-polite", "simulator-terse"]
    assert names[0].startswith("people against people, ")
    start = next(i for i, line in enumerate(lines) if line.startswith("metric "))
    lost = [float(line[:70].split()[-1]) for line in lines[start + 1 : start + 20]]
    assert lost == sorted(lost, reverse=True)


def test_several_files_give_a_list_in_the_order_given(simgap: Run) -> None:
    files = [DEMO / "simulator-terse.ndjson", DEMO / "simulator-polite.ndjson"]
    reports = json.loads(simgap("score", *files, "--baseline", "demo", "--json").out)
    assert [report["simulator"]["name"] for report in reports] == ["simulator-terse", "simulator-polite"]


def test_people_against_their_own_file_score_100(simgap: Run) -> None:
    people = DEMO / "people.ndjson"
    outcome = simgap(
        "score", people, "--source", "human", "--baseline", people, "--difficulty", DEMO / "difficulty.json", "--json"
    )
    scores = json.loads(outcome.out)["scores"]
    assert {name: score["value"] for name, score in scores.items()} == {
        **dict.fromkeys(("d1", "d2", "d3", "d4", "eval", "usi5", "usi6"), 100.0),
        "ece": 0.0,
    }


def test_a_second_run_gives_the_same_bytes(simgap: Run) -> None:
    arguments = ("score", DEMO / "simulator-terse.ndjson", "--baseline", "demo", "--json")
    assert simgap(*arguments).out == simgap(*arguments).out


def test_difficulty_from_a_file_goes_before_the_baselines_own(simgap: Run, tmp_path: Path) -> None:
    given = tmp_path / "difficulty.csv"
    given.write_text("task,rate\nno_such_task,0.5\n")
    arguments = ("score", DEMO / "simulator-terse.ndjson", "--baseline", "demo", "--json")
    assert json.loads(simgap(*arguments).out)["scores"]["ece"]["value"] is not None
    report = json.loads(simgap(*arguments, "--difficulty", given).out)
    assert report["scores"]["ece"]["value"] is None
    assert "difficulty" in report["scores"]["ece"]["reason"]


# --- refusals: exit code 2, the file, the line, the pointer, what to do; never a traceback ----------------------------


BAD = {
    "empty": (b"", "empty"),
    "not_json": (b"hello there\n", "JSON"),
    "truncated": (_trace().encode()[:-5], "JSON"),
    "unknown_format": (b'{"some": {"thing": 1}}', "taubench"),
    "unknown_role": (_trace(messages=[{"role": "clerk", "content": "x"}]).encode(), "/messages/0/role"),
    "duplicate": ((_trace(id="a") + "\n" + _trace(id="b")).encode(), "line 1 and again on line 2"),
    "survey_label": (_trace(survey={"efficiency": "Too fast"}).encode(), "/survey/efficiency"),
    "reward_2": (_trace(reward=2).encode(), "/reward"),
    "reward_nan": (_trace(reward=float("nan")).encode(), "/reward"),
    "utf_16": (_trace().encode("utf-16"), "UTF-16"),
    "deep": (b'{"messages": ' + b"[" * 100_000, "deep"),
    "not_utf_8": (b'{"task_id": "a", "messages": [{"role": "user", "content": "\xff"}]}', "UTF-8"),
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("command", ["metrics", "score"])
def test_bad_input_is_refused_naming_the_place(simgap: Run, tmp_path: Path, command: str, case: str) -> None:
    data, named = BAD[case]
    file = tmp_path / f"{case}.ndjson"
    file.write_bytes(data)
    more = ("--baseline", "taubench-2026") if command == "score" else ()
    outcome = simgap(command, file, *more)
    assert outcome.code == 2, outcome
    assert outcome.out == ""
    assert outcome.err.startswith(str(file))
    assert named in outcome.err
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize(
    ("text", "words", "warning"),
    [
        ("lone \\ud800 surrogate", 3.0, "lone surrogates became U+FFFD"),
        ("a \\u0000 byte", 2.0, "NUL characters were removed"),
    ],
)
def test_a_lone_surrogate_and_nul_are_mended_and_counted(
    simgap: Run, tmp_path: Path, text: str, words: float, warning: str
) -> None:
    file = tmp_path / "t.ndjson"
    file.write_text(_trace(messages=[{"role": "user", "content": "TEXT"}]).replace("TEXT", text))
    outcome = simgap("metrics", file)
    assert _lines(outcome)[0]["metrics"]["words_per_turn"] == words
    assert f"warning: {warning}" in outcome.err


def test_a_folder_a_missing_file_and_a_65_mib_document_are_refused(simgap: Run, tmp_path: Path) -> None:
    for path, said in ((tmp_path, "folder"), (tmp_path / "absent", "No such file")):
        outcome = simgap("metrics", path)
        assert (outcome.code, said in outcome.err) == (2, True), outcome
    large = tmp_path / "large.json"
    with large.open("wb") as file:
        file.write(b'[{"task_id": 1, "traj": [], "padding": "')
        for _ in range(65):
            file.write(b"x" * 2**20)
        file.write(b'"}]')
    outcome = simgap("metrics", large)
    assert outcome.code == 2
    assert "64 MiB" in outcome.err


def test_surveys_alone_are_no_traces_and_traces_are_no_surveys(simgap: Run, tmp_path: Path) -> None:
    surveys = tmp_path / "s.json"
    surveys.write_text('{"retail_0": {"survey": {}}}')
    traces = tmp_path / "t.ndjson"
    traces.write_text(_trace())
    outcome = simgap("metrics", surveys)
    assert (outcome.code, "--surveys" in outcome.err) == (2, True)
    outcome = simgap("score", traces, "--baseline", "demo", "--surveys", traces)
    assert (outcome.code, "no survey answers" in outcome.err) == (2, True)


def test_an_unknown_baseline_says_which_are_built_in(simgap: Run, tmp_path: Path) -> None:
    traces = tmp_path / "t.ndjson"
    traces.write_text(_trace())
    outcome = simgap("score", traces, "--baseline", "taubench")
    assert outcome.code == 2
    assert "taubench-2026" in outcome.err


def test_surveys_of_several_simulators_must_be_named(simgap: Run, tmp_path: Path) -> None:
    one, two = tmp_path / "one.ndjson", tmp_path / "two.ndjson"
    one.write_text(_trace())
    two.write_text(_trace())
    outcome = simgap("score", one, two, "--baseline", "demo", "--surveys", one)
    assert (outcome.code, "NAME=FILE" in outcome.err) == (2, True)


def test_a_line_over_the_limit_costs_only_itself(simgap: Run, tmp_path: Path) -> None:
    file = tmp_path / "t.ndjson"
    long = _trace(run=2, messages=[{"role": "user", "content": "x" * 9_000_000}])
    file.write_text("\n".join([_trace(run=1), long, _trace(run=3)]))
    outcome = simgap("metrics", file)
    assert (outcome.code, f"{file} line 2: The line is longer" in outcome.err) == (2, True)
    lines = _lines(simgap("metrics", file, "--on-error", "skip"))
    assert [(line["run"], line.get("reason")) for line in lines] == [(1, None), (1, "unreadable"), (3, None)]


def test_a_trace_that_repeats_only_a_left_out_one_is_kept_however_the_file_is_cut(simgap: Run, tmp_path: Path) -> None:
    # Line 2 repeats line 1's id and is left out; line 3 has line 2's task, and 6 MB put it into a later piece.
    words = [{"role": "user", "content": "word " * 1_200_000}]
    records = [_trace(id="1", task_id="x", messages=words), _trace(id="1", task_id="y", messages=words)]
    file = tmp_path / "t.ndjson"
    file.write_text("\n".join([*records, _trace(id="2", task_id="y")]))
    lines = _lines(simgap("metrics", file, "--on-error", "skip"))
    assert [(line["id"], line.get("reason")) for line in lines] == [("1", None), ("1", "duplicate"), ("2", None)]


def test_the_baselines_file_is_read_as_the_caller_says_and_what_it_lacks_is_told(simgap: Run, tmp_path: Path) -> None:
    people, simulator = tmp_path / "people.ndjson", tmp_path / "s.ndjson"
    caller = [{"role": "caller", "content": "hi there"}]
    people.write_text(
        "\n".join([_trace(messages=caller, reward=0.5), _trace(task_id="retail_1", keep=False), _trace(task_id="b")])
    )
    simulator.write_text(_trace())
    assert simgap("score", simulator, "--baseline", people).code == 2
    outcome = simgap("score", simulator, "--baseline", people, "--role", "caller=user", "--json")
    assert outcome.code == 0, outcome.err
    assert f"{people}: warning: rewards lie strictly between 0 and 1" in outcome.err
    baseline = json.loads(outcome.out)["baseline"]
    assert (baseline["traces"], baseline["excluded"]) == (2, {"keep_false": 1})
    assert baseline["partial"] == {"no_difficulty": 1, "no_reward": 1, "unrated": 2}


def test_separate_surveys_of_several_runs_are_scored_run_by_run(simgap: Run, tmp_path: Path) -> None:
    people, simulator, surveys = (tmp_path / name for name in ("p.ndjson", "s.ndjson", "answers.json"))
    people.write_text(_trace(survey={"human_like": "No"}))
    simulator.write_text(_trace(run=1) + "\n" + _trace(run=2))
    surveys.write_text(
        '{"retail_0_1": {"survey": {"human_like": "No"}}, "retail_0_2": {"survey": {"human_like": "Yes"}}}'
    )
    arguments = ("score", simulator, "--baseline", people, "--surveys", surveys, "--json")
    assert json.loads(simgap(*arguments, "--runs-from-id", "yes").out)["scores"]["eval"]["value"] == 50.0
    report = json.loads(simgap(*arguments).out)
    assert report["scores"]["eval"]["value"] is None
    assert [warned["code"] for warned in report["warnings"]] == ["survey_without_people"]


def test_what_published_figures_cannot_use_is_told(simgap: Run, tmp_path: Path) -> None:
    simulator, surveys, difficulty = (tmp_path / name for name in ("s.ndjson", "answers.json", "d.json"))
    simulator.write_text(_trace())
    surveys.write_text('{"retail_0": {"survey": {}}}')
    difficulty.write_text('{"retail_0": 0.5}')
    outcome = simgap(
        *("score", simulator, "--baseline", "taubench-2026", "--json"),
        *("--surveys", surveys, "--difficulty", difficulty),
    )
    codes = [warned["code"] for warned in json.loads(outcome.out)["warnings"]]
    assert codes == ["published_row", "not_used", "not_used"]


def test_reasons_name_what_is_really_missing(simgap: Run, tmp_path: Path) -> None:
    people, simulator, elsewhere = (tmp_path / name for name in ("p.ndjson", "s.ndjson", "e.ndjson"))
    rated = {"survey": {"human_like": "No"}, "reward": 1}
    people.write_text(_trace(**rated))
    simulator.write_text(_trace(**rated))
    elsewhere.write_text(_trace(task_id="other_0", **rated))
    pooled = json.loads(simgap("score", simulator, "--baseline", people, "--difficulty", "pooled", "--json").out)
    assert "10 outcomes" in pooled["scores"]["ece"]["reason"]
    other = json.loads(simgap("score", elsewhere, "--baseline", people, "--json").out)
    assert "no task in common" in other["scores"]["ece"]["reason"]
    assert "about other tasks" in other["scores"]["eval"]["reason"]


def test_a_surveys_file_may_have_an_equals_sign_in_its_name(simgap: Run, tmp_path: Path) -> None:
    people, simulator, surveys = (tmp_path / name for name in ("p.ndjson", "a=b.ndjson", "c=d.json"))
    people.write_text(_trace(survey={"human_like": "No"}))
    simulator.write_text(_trace())
    surveys.write_text('{"retail_0": {"survey": {"human_like": "No"}}}')
    for given in (f"a=b={surveys}", surveys):
        report = json.loads(simgap("score", simulator, "--baseline", people, "--surveys", given, "--json").out)
        assert report["scores"]["eval"]["value"] == 100.0


def test_names_that_are_no_text_are_written_with_replacement_characters(simgap: Run, tmp_path: Path) -> None:
    file = Path(os.fsdecode(os.fsencode(tmp_path) + b"/s\xff.ndjson"))
    file.write_text(_trace())
    for arguments in ((), ("--name", "s\udcff")):
        outcome = simgap("score", file, "--baseline", file, "--json", *arguments)
        assert outcome.code == 0, outcome.err
        assert json.loads(outcome.out)["simulator"]["name"] == "s\ufffd"
    assert simgap("score", file, "--baseline", "x" * 300).code == 2


def test_an_output_that_cannot_be_written_is_said_plainly(tmp_path: Path) -> None:
    file = tmp_path / "t.ndjson"
    file.write_text(_trace())
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "simgap_service.cli", "metrics", str(file)]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert "No space left on device" in done.stderr
    assert "our fault" not in done.stderr


def test_our_own_fault_is_exit_1_and_says_so(simgap: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def broken(_arguments: object) -> int:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr("simgap_service.offline.metrics", broken)
    outcome = simgap("metrics", tmp_path)
    assert (outcome.code, "our fault" in outcome.err) == (1, True)


def test_formats_lists_the_seven_and_the_names_of_roles(simgap: Run) -> None:
    outcome = simgap("formats")
    assert outcome.code == 0
    names = [line.split()[0] for line in outcome.out.split("\n\n")[0].splitlines()]
    assert len(names) == 7
    assert {"simgap", "taubench", "tau-usi-human", "survey-comparable", "openai"} < set(names)
    assert "customer" in outcome.out


def test_the_installed_command_answers() -> None:
    command = Path(sys.executable).with_name("simgap")
    done = subprocess.run([command, "--help"], capture_output=True, text=True, check=False, env={**os.environ})
    assert done.returncode == 0
    assert "score" in done.stdout
