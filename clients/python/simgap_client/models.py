"""The wire contract: every request and every answer of the service, and the report itself.

The service, the workers and the command line build their answers from these very classes, so that a caller who decodes
with them reads what was written. A number that cannot be had is None, with a `reason` beside it; no answer ever holds
NaN or infinity. Scores are 0-100 save `ece`, a fraction; rates are fractions.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Raw, Struct, field

Profile = Literal["tau-usi-1", "paper-1"]
StopTurns = Literal["drop", "keep", "trim"]
Source = Literal["human", "simulator"]


class Warned(Struct):
    """Something that changes no number but that its owner should know, and how often it was met."""

    code: str
    message: str
    count: int = 1


class Located(Struct):
    """One error in an uploaded file: the line (from 1), the JSON pointer (RFC 6901), and what to do about it.

    `line` is 0 where no line can be named; the pointer starts at the record on that line, or at the document.
    `file` names the file or the piece where there are several.
    """

    line: int
    pointer: str
    code: str
    message: str
    file: str = ""


class ProblemDocument(Struct, omit_defaults=True):
    """An error as RFC 9457 says it, sent as application/problem+json."""

    type: str
    title: str
    status: int
    detail: str
    errors: list[Located] = field(default_factory=list)


# --- the report -----------------------------------------------------------------------------------------------------


class Ceiling(Struct):
    """The human row: what people score against people on the report's own tasks (population sd over pairs)."""

    mean: float
    sd: float
    pairs: int


class Score(Struct):
    """One score: its mean over the human batches and its population standard deviation over them."""

    value: float | None
    batch_sd: float | None = None
    ceiling: Ceiling | None = None
    reason: str | None = None


class Scores(Struct):
    """D1-D4, Eval and the two indices on 0-100, higher is more human; `ece` is a fraction, lower is better."""

    d1: Score
    d2: Score
    d3: Score
    d4: Score
    eval: Score
    ece: Score
    usi5: Score
    usi6: Score


class SideValue(Struct):
    """A metric's mean in one population: a fraction, or a count where the metric counts."""

    value: float | None


class MetricResult(Struct):
    """One of the 19 metrics: both sides, how alike they are (0-1), and what it costs the index in points.

    With several batches, each number is the mean over batches: `dice` is not the dice of the two means.
    """

    id: str
    dimension: str
    human: SideValue
    simulator: SideValue
    dice: float | None
    points_lost: float | None
    direction: str


class OtherLosses(Struct):
    """Points that ECE and Eval cost the index; None where the part is missing."""

    ece: float | None
    eval: float | None


class SimulatorSummary(Struct):
    """Who was scored: traces that were scored, their tasks and runs; runs without a row on the common tasks."""

    name: str
    traces: int
    tasks: int
    runs: int
    runs_without_row: list[int]


class BaselineSummary(Struct):
    """Whom the simulator was held against; `batches` and `traces` are 0 for figures as published.

    excluded, partial: of people's traces, what was left out and what takes no part in some number, by reason.
    """

    name: str
    digest: str
    batches: int
    traces: int
    excluded: dict[str, int]
    partial: dict[str, int]


class Coverage(Struct):
    """What was used and what was left out: received = scored + excluded.

    expected: what the file says it should hold. excluded: by reason. partial: scored traces that take no part in some
    number, by reason. imputed_answers: survey answers that were missing and drawn or expected.
    """

    expected: int | None
    received: int
    scored: int
    excluded: dict[str, int]
    partial: dict[str, int]
    common_tasks: int
    simulator_tasks: int
    baseline_tasks: int
    imputed_answers: int


class CalibrationBin(Struct, rename={"low": "from", "high": "to"}):
    """One bin of difficulty: distinct tasks in it, and the success rates of both sides, None where it is empty."""

    low: float
    high: float
    tasks: int
    human: float | None
    simulator: float | None


class SurveyField(Struct):
    """One question of the survey: mean answers on 0-1 as given, agreement on 0-100, answers imputed."""

    field: str
    human: float | None
    simulator: float | None
    agreement: float | None
    imputed: int


class Bounds(Struct):
    """What a published success rate still allows: ECE is at least, usi5 at most; None with a reason."""

    ece_low: float | None
    usi5_high: float | None
    reason: str | None = None


class Diagnostics(Struct):
    """Numbers beside the index: turns measured, stop turns, identifiers without ordinary words, rounding of figures."""

    turns: int
    stop_turns: str
    strict_identifier_density: float | None
    rounding: dict[str, tuple[float, float]] | None


class Report(Struct):
    """The report of kind `usi`: the same bytes from the command line, the worker and the client."""

    kind: Literal["usi"]
    version: int
    profile: str
    signature: str
    simulator: SimulatorSummary
    baseline: BaselineSummary
    coverage: Coverage
    scores: Scores
    metrics: list[MetricResult]
    other_losses: OtherLosses
    calibration: list[CalibrationBin]
    survey: list[SurveyField]
    bounds: Bounds
    diagnostics: Diagnostics
    warnings: list[Warned]


# --- the service ----------------------------------------------------------------------------------------------------


class TraceCounts(Struct):
    """What a trace set holds: received = scored + excluded."""

    expected: int | None
    received: int
    scored: int
    excluded: dict[str, int]


class TraceSet(Struct):
    """An uploaded set of traces. `state`: receiving, reading, ready, invalid or failed."""

    id: str
    state: Literal["receiving", "reading", "ready", "invalid", "failed"]
    created: str
    name: str
    source: str
    format: str | None
    bytes: int
    pieces: int
    counts: TraceCounts | None = None
    warnings: list[Warned] = field(default_factory=list)
    errors: list[Located] = field(default_factory=list)
    failure: str | None = None


class BaselineRequest(Struct, forbid_unknown_fields=True):
    """People's trace sets, as one baseline: each set is a batch, or holds batches by its traces' `batch`."""

    name: str
    trace_sets: list[str]
    difficulty: Literal["published"] | dict[str, float] | None = None


class BaselineRecord(Struct):
    """A baseline. `state`: compiling, ready or failed."""

    id: str
    name: str
    state: Literal["compiling", "ready", "failed"]
    created: str | None
    trace_sets: list[str]
    batches: int | None = None
    tasks: int | None = None
    digest: str | None = None
    failure: str | None = None


class BaselinePage(Struct):
    """Baselines: the built-in ones, then the newest first."""

    items: list[BaselineRecord]
    next_page_token: str | None = None


class ReportOptions(Struct, forbid_unknown_fields=True):
    """How to score. `difficulty` wins over the baseline's own (usi.md section 6)."""

    profile: Profile = "tau-usi-1"
    difficulty: Literal["published", "pooled"] | dict[str, float] | None = None


class ReportRequest(Struct, forbid_unknown_fields=True):
    """Score this trace set against that baseline (its id or its name)."""

    trace_set: str
    baseline: str
    kind: Literal["usi"] = "usi"
    options: ReportOptions = field(default_factory=ReportOptions)


class ReportRecord(Struct):
    """A report and its state: queued, running, done or failed. `report` is the stored bytes, JSON null before."""

    id: str
    state: Literal["queued", "running", "done", "failed"]
    created: str
    kind: str
    trace_set: str
    baseline_id: str
    superseded_by: str | None = None
    failure: str | None = None
    report: Raw = field(default_factory=lambda: Raw(b"null"))
