"""Uploads that do harm: too many at once, too slow, too empty, too much for the disk."""

from __future__ import annotations

import gzip
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import httpx
import pytest

from tests.api.conftest import DOCUMENT_BYTES, Service, eventually, running, zstd
from tests.api.test_score import SCORE, WAIT, is_problem

MIB = 1024 * 1024


@contextmanager
def begun(service: Service, path: str = "/v1/trace-sets") -> Iterator[socket.socket]:
    """A POST whose body the service waits for, and of which it has got one byte."""
    host, _, port = service.address.removeprefix("http://").rpartition(":")
    with socket.create_connection((host, int(port)), timeout=30) as sender:
        head = f"POST {path} HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n"
        sender.sendall(head.encode())
        assert sender.recv(65536).startswith(b"HTTP/1.1 100 ")
        sender.sendall(b"{")
        yield sender


def answer_of(sender: socket.socket) -> tuple[int, bytes]:
    """The status and the rest of the answer, until the service closes the connection."""
    received = b""
    while data := sender.recv(65536):
        received += data
    return int(received.split()[1]), received


def stored(service: Service) -> list[Path]:
    return sorted((service.data / "objects").glob("trace-sets/*"))


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_beyond_the_bound_an_upload_is_503_overloaded_until_a_place_is_free(tmp_path: Path, polite: bytes) -> None:
    with running(tmp_path, SIMGAP_UPLOADS="2") as service, ExitStack() as senders:
        for _ in range(2):
            senders.enter_context(begun(service))
        for path in (SCORE, "/v1/trace-sets"):
            answer = service.http.post(path, content=polite)
            assert "SIMGAP_UPLOADS" in is_problem(answer, 503, "overloaded")["detail"]
            assert int(answer.headers["retry-after"]) >= 1
        assert service.http.get("/readyz").status_code == 200
        senders.close()
        assert eventually(lambda: service.http.post(SCORE, content=polite, headers=WAIT).status_code == 200, 10)


def test_a_sender_that_falls_silent_is_408_and_nothing_is_stored(tmp_path: Path, polite: bytes) -> None:
    with running(tmp_path, SIMGAP_IDLE_SECONDS="0.5", SIMGAP_UPLOADS="1") as service:
        for path in ("/v1/trace-sets", "/v1/reports"):
            with begun(service, path) as sender:
                status, answer = answer_of(sender)
            assert status == 408
            assert b"urn:simgap:problem:upload-timeout" in answer
            assert b"SIMGAP_IDLE_SECONDS" in answer
        assert stored(service) == []
        assert service.http.post(SCORE, content=polite, headers=WAIT).status_code == 200


def test_a_sender_that_is_slow_but_not_silent_is_heard(tmp_path: Path, polite: bytes) -> None:
    def slowly() -> Iterator[bytes]:
        for start in range(0, len(polite), len(polite) // 5):
            time.sleep(0.3)
            yield polite[start : start + len(polite) // 5]

    with running(tmp_path, SIMGAP_IDLE_SECONDS="1") as service:
        assert service.http.post(SCORE, content=slowly(), headers=WAIT).status_code == 200


def test_bytes_that_inflate_to_nothing_are_refused(service: Service) -> None:
    before = stored(service)
    skipped = b"\x50\x2a\x4d\x18" + MIB.to_bytes(4, "little") + bytes(MIB)
    body = skipped * (DOCUMENT_BYTES // MIB + 1)
    answer = service.http.post(SCORE, content=body, headers={"Content-Encoding": "zstd"})
    assert "SIMGAP_DOCUMENT_BYTES" in is_problem(answer, 413, "too-large")["detail"]
    for encoding, part in (("gzip", gzip.compress(b"")), ("zstd", zstd.compress(b""))):
        answer = service.http.post(SCORE, content=part * 100_000, headers={"Content-Encoding": encoding})
        is_problem(answer, 400, "bad-request")
    assert stored(service) == before


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """A file system of this size; the test is skipped where none can be mounted."""
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size},mode=0700", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"no small disk can be mounted here (root only): {mounted.stderr.decode(errors='replace')}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_full_disk_is_507_leaves_no_half_set_and_passes(tmp_path: Path, polite: bytes) -> None:
    with (
        small_disk(tmp_path / "disk", "8m") as disk,
        running(tmp_path / "data", SIMGAP_STORE=(disk / "objects").as_uri()) as service,
    ):
        assert service.http.post(SCORE, content=polite, headers=WAIT).status_code == 200
        before = files(disk / "objects")
        for path in (SCORE, "/v1/trace-sets"):
            is_problem(service.http.post(path, content=b" " * (9 * MIB)), 507, "storage-full")
        assert len(list((disk / "objects" / "trace-sets").iterdir())) == 1
        full = disk / "full"
        with full.open("wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(bytes(4096))
        made = next((disk / "objects" / "trace-sets").iterdir()).name
        is_problem(service.http.post(SCORE, content=polite), 507, "storage-full")
        requests: list[tuple[str, dict[str, object]]] = [
            ("/v1/reports", {"trace_set": made, "baseline": "demo", "options": {"profile": "paper-1"}}),
            ("/v1/baselines", {"name": "people", "trace_sets": [made]}),
        ]
        for path, request in requests:
            is_problem(service.http.post(path, json=request), 507, "storage-full")
        full.unlink()
        assert files(disk / "objects") == before
        assert service.http.get(f"/v1/trace-sets/{made}").json()["state"] == "ready"
        assert service.http.post(SCORE, content=polite, headers=WAIT).status_code == 200


def test_a_body_with_two_ends_is_400(service: Service) -> None:
    headers = {"Content-Length": "4", "Transfer-Encoding": "chunked"}
    with httpx.Client(trust_env=False) as http:
        request = http.build_request("POST", service.address + SCORE, headers=headers, content=iter([b"{}"]))
        is_problem(http.send(request), 400, "bad-request")
