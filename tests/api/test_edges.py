"""The edges of the HTTP side: queries, names, paths, hosts, headers, modes of files."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

from simgap_workers.readers import ReadOptions, read
from tests.api.conftest import Service
from tests.api.test_resources import upload
from tests.api.test_score import SCORE, WAIT, is_problem


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("baseline=demo&baseline=taubench-2026", "baseline"),
        ("baseline=demo&name=a&name=b", "name"),
        ("baseline=demo&source=human&source=human", "source"),
        ("baseline=demo&on_error=skip&on_error=refuse", "on_error"),
        ("baseline=demo&role=clerk%3Dassistant&role=clerk%3D-", "role"),
        ("baseline=demo&name=%FF", "UTF-8"),
        ("baseline=demo&name=a%C3", "UTF-8"),
        ("baseline=demo&%ED%A0%80=1", "UTF-8"),
    ],
)
def test_a_query_that_can_be_read_two_ways_is_400(service: Service, polite: bytes, query: str, named: str) -> None:
    answer = service.http.post(f"/v1/score?{query}", content=polite)
    assert named in is_problem(answer, 400, "bad-request")["detail"]


def test_several_roles_may_be_mapped_and_a_name_of_any_letters_is_taken(service: Service, polite: bytes) -> None:
    query = "&role=clerk%3Dassistant&role=boss%3D-&name=%C3%A9%20%E2%9C%93"
    assert upload(service, polite, f"?format=simgap{query}")["name"] == "é ✓"


@pytest.mark.parametrize("name", ["a/b", "/", ".", "..", "people/", "../demo"])
def test_a_baseline_cannot_have_a_name_that_no_path_can_hold(service: Service, name: str) -> None:
    answer = service.http.post("/v1/baselines", json={"name": name, "trace_sets": ["ts_" + "0" * 32]})
    assert is_problem(answer, 400, "bad-request")["detail"].startswith("name:")


def test_a_name_that_is_freed_while_others_take_it_is_never_a_fault(service: Service) -> None:
    broken = [upload(service, b"not json")["id"] for _ in range(8)]

    def take(number: int) -> int:
        chosen = [broken[bit] for bit in range(8) if (number + 1) >> bit & 1]
        return service.http.post("/v1/baselines", json={"name": "contested", "trace_sets": chosen}).status_code

    with ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(take, range(160)))
    assert set(statuses) <= {202, 409}
    assert 202 in statuses


@pytest.mark.parametrize("path", ["/", "/docs", "/metrics", "/favicon.ico", "/openapi.yaml", "/v1", "/a/b/c"])
def test_every_unknown_path_is_a_problem_document(service: Service, path: str) -> None:
    is_problem(service.http.get(path), 404, "not-found")
    is_problem(service.http.post(path), 404, "not-found")


@pytest.mark.parametrize("path", ["/v1/reports", "/v1/baselines"])
def test_an_empty_json_request_is_told_what_to_send(service: Service, path: str) -> None:
    detail = is_problem(service.http.post(path), 400, "bad-request")["detail"]
    assert detail == "body: empty; send a JSON object, with Content-Type: application/json."


@pytest.mark.parametrize("path", ["/v1/reports", "/v1/baselines"])
def test_a_json_request_over_the_limit_is_413_and_the_limit_is_named(service: Service, path: str) -> None:
    answer = service.http.post(path, content=b" " * (1024 * 1024 + 1), headers={"Content-Type": "application/json"})
    detail = is_problem(answer, 413, "too-large")["detail"]
    assert "SIMGAP_REQUEST_BYTES" in detail
    assert "1048576" in detail


@pytest.mark.parametrize("path", ["/v1/score", "/v1/trace-sets"])
def test_the_openapi_document_says_how_to_upload_with_an_example_that_can_be_read(service: Service, path: str) -> None:
    post = service.http.get("/openapi.json").json()["paths"][path]["post"]
    assert post["summary"]
    assert post["description"]
    body = post["requestBody"]
    assert body["required"]
    assert f"http://127.0.0.1:8765{path}?" in body["description"]
    example: str = body["content"]["application/octet-stream"]["examples"]["simgap"]["value"]
    assert example.count("\n") == 2
    assert len(read(example.encode(), ReadOptions()).traces) == 2
    assert upload(service, example.encode())["counts"]["scored"] == 2


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1:",
        "127.0.0.1:x",
        "127.0.0.1:123456",
        "127.0.0.1:80:80",
        "user@127.0.0.1",
        "[::1",
        "::1",
        "[127.0.0.1]x",
        "127.1",
        "2130706433",
        "localhost.example",
        "localhost.",
        "",
    ],
)
def test_a_host_that_is_no_name_and_port_of_this_machine_is_refused(service: Service, host: str) -> None:
    is_problem(service.http.get("/healthz", headers={"Host": host}), 403, "forbidden-host")


@pytest.mark.parametrize("host", ["LOCALHOST", "localhost:1", "[::1]:8765", "127.0.0.1:65535"])
def test_a_loopback_name_is_answered_with_any_port(service: Service, host: str) -> None:
    assert service.http.get("/healthz", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "header",
    ["Via", "Forwarded", "Forwarded-For", "X-Forwarded", "X-Forwarded-Port", "X-Forwarded-Anything", "X-Real-IP"],
)
def test_whatever_a_proxy_adds_is_refused(service: Service, header: str) -> None:
    is_problem(service.http.get("/healthz", headers={header: "1.1 proxy"}), 403, "forbidden-host")


def test_nobody_but_the_owner_may_read_a_file_of_the_service(service: Service, polite: bytes) -> None:
    assert service.http.post(SCORE, content=polite, headers=WAIT).status_code == 200
    files = [service.data / "objects" / "secret", *service.data.rglob("*")]
    assert len(files) > 20
    open_to_others = [path for path in files if not path.is_symlink() and stat.S_IMODE(path.lstat().st_mode) & 0o077]
    assert open_to_others == []


def test_a_folder_that_a_full_disk_left_empty_is_no_baseline(service: Service) -> None:
    empty = service.data / "objects" / "baselines" / ("bl_" + "0" * 32)
    empty.mkdir(parents=True)
    try:
        assert empty.name not in [item["id"] for item in service.http.get("/v1/baselines").json()["items"]]
        is_problem(service.http.get(f"/v1/baselines/{empty.name}"), 404, "not-found")
    finally:
        empty.rmdir()
