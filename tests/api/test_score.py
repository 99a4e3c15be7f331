from __future__ import annotations

import gzip
from typing import Any

import httpx
import pytest

from tests.api.conftest import DOCUMENT_BYTES, Service, zstd

WAIT = {"Prefer": "wait=30"}
SCORE = "/v1/score?baseline=demo&name=polite"


def is_problem(answer: httpx.Response, status: int, slug: str) -> dict[str, Any]:
    document: dict[str, Any] = answer.json()
    assert (answer.status_code, document["type"]) == (status, f"urn:simgap:problem:{slug}"), document
    assert answer.headers["content-type"] == "application/problem+json"
    assert document["status"] == status
    assert document["title"]
    assert document["detail"]
    return document


def test_a_caller_who_waits_gets_the_finished_report_with_all_six_parts(service: Service, polite: bytes) -> None:
    answer = service.http.post(SCORE, content=polite, headers=WAIT)
    assert answer.status_code == 200
    assert answer.headers["preference-applied"] == "wait=30"
    record = answer.json()
    assert (record["state"], record["kind"], record["baseline_id"]) == ("done", "usi", "demo")
    assert record["report"]["simulator"]["name"] == "polite"
    assert record["report"]["coverage"]["received"] == 35
    assert all(
        record["report"]["scores"][part]["value"] is not None for part in ("d1", "d2", "d3", "d4", "ece", "eval")
    )
    assert answer.headers["location"] == f"/v1/reports/{record['id']}"
    assert service.http.get(answer.headers["location"]).json() == record


def test_a_caller_who_does_not_wait_gets_202_and_finds_the_report_later(service: Service, polite: bytes) -> None:
    answer = service.http.post(SCORE, content=polite)
    assert answer.status_code == 202
    assert answer.headers["retry-after"] == "1"
    assert answer.json()["state"] in ("queued", "running")
    later = service.http.post("/v1/reports", json=request_of(answer.json()), headers=WAIT)
    assert (later.status_code, later.json()["id"], later.json()["state"]) == (200, answer.json()["id"], "done")


def request_of(record: dict[str, Any]) -> dict[str, Any]:
    return {"trace_set": record["trace_set"], "baseline": record["baseline_id"]}


def test_a_simulator_without_a_common_task_gets_a_report_of_reasons_and_no_zero(
    service: Service, polite: bytes
) -> None:
    answer = service.http.post("/v1/score?baseline=taubench-2026", content=polite, headers=WAIT)
    assert (answer.status_code, answer.json()["state"]) == (200, "done")
    report = answer.json()["report"]
    assert report["coverage"]["common_tasks"] == 0
    for score in report["scores"].values():
        assert score["value"] is None
        assert score["reason"]


def test_json_that_breaks_off_is_422_with_the_line(service: Service, polite: bytes) -> None:
    broken = polite.splitlines(keepends=True)
    body = b"".join([*broken[:2], broken[2][:40], b"\n"])
    document = is_problem(service.http.post(SCORE, content=body, headers=WAIT), 422, "invalid-traces")
    assert [error["line"] for error in document["errors"]] == [3]
    assert document["errors"][0]["message"]


@pytest.mark.parametrize("body", [b"", b"not json", b"{}", b"\xff\xfe[\x00", b"[" * 100_000, b'{"messages": NaN}'])
def test_what_is_no_trace_file_is_422_and_never_500(service: Service, body: bytes) -> None:
    document = is_problem(service.http.post(SCORE, content=body, headers=WAIT), 422, "invalid-traces")
    assert 1 <= len(document["errors"]) <= 100


def test_bad_records_can_be_skipped_and_are_listed(service: Service, polite: bytes) -> None:
    body = polite + b'{"id": "x", "messages": 7}\n'
    answer = service.http.post("/v1/trace-sets?on_error=skip", content=body, headers=WAIT).json()
    assert answer["state"] == "ready"
    assert answer["counts"]["scored"] == 35
    assert [error["line"] for error in answer["errors"]] == [36]


def test_an_unknown_baseline_is_404_before_the_file_is_read(service: Service, polite: bytes) -> None:
    stored = set(service.data.joinpath("objects", "trace-sets").glob("*"))
    is_problem(service.http.post("/v1/score?baseline=nobody", content=polite), 404, "not-found")
    assert set(service.data.joinpath("objects", "trace-sets").glob("*")) == stored


@pytest.mark.parametrize(
    "query",
    [
        "",
        "baseline=demo&profile=mine",
        "baseline=demo&formt=simgap",
        "baseline=demo&format=excel",
        "baseline=demo&source=robot",
        "baseline=demo&role=clerk",
        "baseline=demo&stop_turns=maybe",
        "baseline=demo&runs_from_id=perhaps",
        "baseline=demo&on_error=ignore",
        "baseline=demo&difficulty=pooled",
        "baseline=demo&name=",
    ],
)
def test_a_query_that_says_what_cannot_be_is_400(service: Service, polite: bytes, query: str) -> None:
    is_problem(service.http.post(f"/v1/score?{query}", content=polite), 400, "bad-request")


def test_every_gzip_member_and_every_zstd_frame_is_read(service: Service, polite: bytes) -> None:
    lines = polite.splitlines(keepends=True)
    halves = [b"".join(lines[:20]), b"".join(lines[20:])]
    for encoding, compress in (("gzip", gzip.compress), ("zstd", zstd.compress)):
        body = b"".join(compress(half) for half in halves)
        answer = service.http.post("/v1/trace-sets", content=body, headers={**WAIT, "Content-Encoding": encoding})
        assert answer.json()["counts"]["received"] == 35
        assert answer.json()["bytes"] == len(polite)


def test_an_encoding_that_is_not_known_is_415(service: Service, polite: bytes) -> None:
    for encoding in ("br", "gzip, gzip"):
        answer = service.http.post(SCORE, content=polite, headers={"Content-Encoding": encoding})
        is_problem(answer, 415, "unsupported-encoding")


def test_a_stream_that_breaks_off_is_400(service: Service, polite: bytes) -> None:
    for encoding, body in (("gzip", gzip.compress(polite)), ("zstd", zstd.compress(polite))):
        for broken in (body[:-9], b"\0" + body):
            answer = service.http.post(SCORE, content=broken, headers={"Content-Encoding": encoding})
            is_problem(answer, 400, "bad-request")


def test_a_body_over_the_limit_is_413_and_the_limit_is_named(service: Service) -> None:
    too_much = b" " * (DOCUMENT_BYTES + 1)
    for headers, body in (({}, too_much), ({"Content-Encoding": "gzip"}, gzip.compress(too_much))):
        document = is_problem(service.http.post(SCORE, content=body, headers=headers), 413, "too-large")
        assert "SIMGAP_DOCUMENT_BYTES" in document["detail"]
        assert str(DOCUMENT_BYTES) in document["detail"]


def test_a_file_of_survey_answers_alone_is_refused(service: Service) -> None:
    body = b'{"airline_0": {"survey": {"realism": {"answer": "Agree"}}}}'
    is_problem(
        service.http.post(SCORE + "&format=survey-comparable", content=body, headers=WAIT), 422, "invalid-traces"
    )
