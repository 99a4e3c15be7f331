"""What holds for all tests: where nothing may be skipped (SIMGAP_NO_SKIPS, set by .ci/run), a skip is a failure."""

from __future__ import annotations

import os
from collections.abc import Generator

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.skipped and os.environ.get("SIMGAP_NO_SKIPS"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, which SIMGAP_NO_SKIPS forbids: {report.longrepr}"
    return report
