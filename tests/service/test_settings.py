from __future__ import annotations

import typing
from pathlib import Path

import pytest

from simgap_service.settings import Settings, SettingsError, read_settings, variable, write_settings


def test_without_a_variable_the_service_listens_on_loopback_port_8765_and_keeps_its_data_in_dot_simgap() -> None:
    settings = read_settings({})
    assert (settings.host, settings.port, settings.data) == ("127.0.0.1", 8765, ".simgap")
    assert settings.store_url == (Path.cwd() / ".simgap" / "objects").as_uri()
    assert settings.document_bytes == 64 * 1024 * 1024


def test_every_setting_has_a_meaning_of_one_line() -> None:
    hints = typing.get_type_hints(Settings, include_extras=True)
    for name in Settings.__struct_fields__:
        (meta,) = hints[name].__metadata__
        assert meta.description.endswith("."), name
        assert "\n" not in meta.description


def test_settings_written_for_the_next_process_are_read_as_the_same() -> None:
    settings = Settings(data="/tmp/a b", port=0, workers=5, reconcile_seconds=0.5, secret="x=y")
    assert read_settings(write_settings(settings)) == settings


@pytest.mark.parametrize(
    ("name", "value"),
    [("port", "-1"), ("port", "65536"), ("port", "x"), ("workers", "0"), ("reconcile_seconds", "0"), ("data", "")],
)
def test_a_value_that_cannot_be_names_its_variable(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=variable(name)):
        read_settings({variable(name): value})


@pytest.mark.parametrize(
    ("host", "loopback"),
    [("127.0.0.1", True), ("localhost", True), ("::1", True), ("0.0.0.0", False), ("::", False), ("simgap", False)],
)
def test_only_addresses_of_this_machine_are_loopback(host: str, loopback: bool) -> None:
    assert Settings(host=host).loopback is loopback
