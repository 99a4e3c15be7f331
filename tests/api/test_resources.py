from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.api.conftest import Service
from tests.api.test_score import WAIT, is_problem


def upload(service: Service, body: bytes, query: str = "") -> dict[str, Any]:
    answer = service.http.post(f"/v1/trace-sets{query}", content=body, headers=WAIT)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_a_trace_set_is_accepted_with_202_and_becomes_ready(service: Service, polite: bytes) -> None:
    answer = service.http.post("/v1/trace-sets?name=polite", content=polite)
    assert answer.status_code == 202
    assert answer.json()["state"] == "reading"
    path = answer.headers["location"]
    assert path == f"/v1/trace-sets/{answer.json()['id']}"
    later = upload(service, polite, "?name=polite")
    assert (later["state"], later["format"], later["source"], later["name"]) == (
        "ready",
        "simgap",
        "simulator",
        "polite",
    )
    assert later["counts"] == {"expected": None, "received": 35, "scored": 35, "excluded": {}}
    assert (later["bytes"], later["pieces"]) == (len(polite), 1)
    assert service.http.get(path).status_code == 200


def test_an_invalid_set_says_so_and_cannot_be_scored(service: Service) -> None:
    found = upload(service, b"not json")
    assert found["state"] == "invalid"
    assert found["counts"] is None
    assert found["errors"][0]["message"]
    answer = service.http.post("/v1/reports", json={"trace_set": found["id"], "baseline": "demo"}, headers=WAIT)
    assert (answer.status_code, answer.json()["state"]) == (200, "failed")
    assert found["id"] in answer.json()["failure"]


def test_peoples_sets_become_a_baseline_that_scores_a_simulator(service: Service, people: bytes, polite: bytes) -> None:
    made = upload(service, people, "?source=human")
    request = {"name": "the demo's people", "trace_sets": [made["id"]]}
    answer = service.http.post("/v1/baselines", json=request, headers=WAIT)
    assert answer.status_code == 200
    baseline = answer.json()
    assert (baseline["state"], baseline["batches"]) == ("ready", 3)
    assert baseline["tasks"] >= 30
    again = service.http.post("/v1/baselines", json=request)
    assert (again.status_code, again.json()["id"]) == (200, baseline["id"])
    assert service.http.get(f"/v1/baselines/{baseline['id']}").json() == baseline
    assert service.http.get("/v1/baselines/the demo's people").json() == baseline
    for name in (baseline["id"], "the demo's people"):
        scored = service.http.post("/v1/score", params={"baseline": name}, content=polite, headers=WAIT)
        assert scored.json()["state"] == "done"
        assert scored.json()["report"]["baseline"]["digest"] == baseline["digest"]


def test_a_report_asked_for_before_set_and_baseline_are_ready_is_made(
    service: Service, people: bytes, polite: bytes
) -> None:
    for number in range(5):
        humans = service.http.post("/v1/trace-sets?source=human", content=people).json()["id"]
        request = {"name": f"unready {number}", "trace_sets": [humans]}
        baseline = service.http.post("/v1/baselines", json=request).json()["id"]
        traces = service.http.post("/v1/trace-sets", content=polite).json()["id"]
        report = service.http.post("/v1/reports", json={"trace_set": traces, "baseline": baseline}, headers=WAIT)
        assert (report.status_code, report.json()["state"]) == (200, "done")


def test_a_baseline_of_an_invalid_set_fails_and_gives_its_name_back(service: Service, people: bytes) -> None:
    broken = upload(service, b"not json")["id"]
    request = {"name": "second chance", "trace_sets": [broken]}
    failed = service.http.post("/v1/baselines", json=request, headers=WAIT).json()
    assert failed["state"] == "failed"
    assert broken in failed["failure"]
    request["trace_sets"] = [upload(service, people, "?source=human")["id"]]
    assert service.http.post("/v1/baselines", json=request, headers=WAIT).json()["state"] == "ready"


def test_two_people_in_one_batch_at_one_task_make_no_baseline(service: Service, people: bytes) -> None:
    twice = upload(service, people, "?source=human")["id"], upload(service, people, "?source=human")["id"]
    request = {"name": "the same people twice", "trace_sets": twice}
    failed = service.http.post("/v1/baselines", json=request, headers=WAIT).json()
    assert failed["state"] == "failed"
    assert "batch 1" in failed["failure"]


def test_a_name_is_taken_once(service: Service, people: bytes) -> None:
    sets = [upload(service, people, "?source=human")["id"] for _ in range(2)]
    first, second = ({"name": "mine", "trace_sets": [made]} for made in sets)
    assert service.http.post("/v1/baselines", json=first).status_code == 202
    is_problem(service.http.post("/v1/baselines", json=second), 409, "name-taken")
    is_problem(service.http.post("/v1/baselines", json={**second, "name": "demo"}), 409, "name-taken")


def test_the_built_in_baselines_are_listed_first(service: Service) -> None:
    page = service.http.get("/v1/baselines").json()
    assert [item["id"] for item in page["items"][:2]] == ["taubench-2026", "demo"]
    assert page["next_page_token"] is None
    assert service.http.get("/v1/baselines/demo").json()["batches"] == 3
    assert service.http.get("/v1/baselines/taubench-2026").json()["batches"] == 0


def test_equal_report_requests_share_one_id_and_others_do_not(service: Service, polite: bytes) -> None:
    made = upload(service, polite)["id"]
    request = {"trace_set": made, "baseline": "demo"}
    ids = {service.http.post("/v1/reports", json=request).json()["id"] for _ in range(3)}
    assert len(ids) == 1
    paper = {**request, "options": {"profile": "paper-1"}}
    assert service.http.post("/v1/reports", json=paper).json()["id"] not in ids
    other = {**request, "options": {"difficulty": {"shop_0": 0.5}}}
    assert service.http.post("/v1/reports", json=other).json()["id"] not in ids
    done = service.http.post("/v1/reports", json=request, headers=WAIT)
    assert (done.status_code, done.json()["state"]) == (200, "done")
    assert service.http.post("/v1/reports", json=request).status_code == 200


@pytest.mark.parametrize(
    "request_body",
    [
        {"trace_set": "ts_" + "0" * 32, "baseline": "demo"},
        {"trace_set": "../../etc/passwd", "baseline": "demo"},
        {"trace_set": "", "baseline": "demo"},
    ],
)
def test_a_report_on_no_set_is_404(service: Service, request_body: dict[str, str]) -> None:
    is_problem(service.http.post("/v1/reports", json=request_body), 404, "not-found")


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/reports", b"{"),
        ("/v1/reports", b"[]"),
        ("/v1/reports", b'{"trace_set": 7, "baseline": "demo"}'),
        ("/v1/reports", b'{"trace_set": "x", "baseline": "demo", "colour": "red"}'),
        ("/v1/reports", b'{"trace_set": "x", "baseline": "demo", "options": {"difficulty": "pooled"}}'),
        ("/v1/reports", b'{"trace_set": "x", "baseline": "demo", "options": {"difficulty": {"shop_0": 2}}}'),
        ("/v1/baselines", b""),
        ("/v1/baselines", b'{"name": "", "trace_sets": []}'),
        ("/v1/baselines", b'{"name": "a\\u0000b", "trace_sets": ["x"]}'),
        ("/v1/baselines", b'{"name": "none", "trace_sets": []}'),
        ("/v1/baselines", b'{"name": "twice", "trace_sets": ["x", "x"]}'),
        ("/v1/baselines", b"[" * 100_000),
    ],
)
def test_a_request_that_cannot_be_understood_is_400(service: Service, path: str, body: bytes) -> None:
    answer = service.http.post(path, content=body, headers={"Content-Type": "application/json"})
    is_problem(answer, 400, "bad-request")


@pytest.mark.parametrize(
    "path",
    [
        "/v1/trace-sets/ts_" + "0" * 32,
        "/v1/trace-sets/..%2F..%2Fsecret",
        "/v1/reports/rp_x",
        "/v1/reports/ts_" + "0" * 32,
        "/v1/baselines/nobody",
        "/v1/baselines/bl_" + "0" * 32,
        "/v1/nothing",
    ],
)
def test_what_is_not_there_is_404(service: Service, path: str) -> None:
    is_problem(service.http.get(path), 404, "not-found")


def test_a_method_that_a_path_does_not_have_is_405(service: Service) -> None:
    is_problem(service.http.put("/v1/reports", json={}), 405, "method-not-allowed")


def test_health_formats_and_the_openapi_document_answer(service: Service) -> None:
    assert service.http.get("/healthz").json() == {"status": "ok"}
    assert service.http.get("/readyz").json() == {"store": "ok", "redis": "ok"}
    names = [entry["name"] for entry in service.http.get("/v1/formats").json()]
    assert {"simgap", "taubench", "openai"} <= set(names)
    document = service.http.get("/openapi.json").json()
    assert document["openapi"].startswith("3.1")
    assert {"/v1/score", "/v1/trace-sets", "/v1/baselines", "/v1/reports"} <= set(document["paths"])


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "simgap.example"},
        {"Host": "127.0.0.1.example:8765"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Forwarded": "for=10.0.0.1"},
        {"X-Forwarded-For": "10.0.0.1"},
    ],
)
def test_a_server_without_keys_answers_only_this_machine_by_name(service: Service, headers: dict[str, str]) -> None:
    is_problem(service.http.get("/healthz", headers=headers), 403, "forbidden-host")


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]", "127.3.2.1:99"])
def test_every_loopback_name_is_answered(service: Service, host: str) -> None:
    assert service.http.get("/healthz", headers={"Host": host}).status_code == 200


def test_a_page_of_the_servers_own_origin_is_answered(service: Service) -> None:
    assert service.http.get("/healthz", headers={"Origin": service.address}).status_code == 200


def test_the_same_file_twice_gives_reports_of_the_same_bytes(service: Service, polite: bytes) -> None:
    answers: list[httpx.Response] = [
        service.http.post("/v1/score?baseline=demo&name=same", content=polite, headers=WAIT) for _ in range(2)
    ]
    assert answers[0].json()["report"] == answers[1].json()["report"]
    assert answers[0].json()["id"] != answers[1].json()["id"]
