"""Every setting of the service, read from `SIMGAP_*`: one Struct, a meaning and a default for each."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

MIB = 1024 * 1024


class SettingsError(Exception):
    """A setting that cannot be used; the message names it."""


class Settings(Struct, frozen=True, kw_only=True):
    """The settings; `SIMGAP_DATA` is `data`, and so on."""

    data: Annotated[str, Meta(description="Folder of everything that the service keeps.", min_length=1)] = ".simgap"
    host: Annotated[str, Meta(description="Address to listen on; without keys, a loopback one.")] = "127.0.0.1"
    port: Annotated[int, Meta(description="Port to listen on; 0 takes a free one.", ge=0, le=65535)] = 8765
    redis_url: Annotated[str, Meta(description="Redis or Valkey to use; empty starts the bundled Valkey.")] = ""
    store: Annotated[str, Meta(description="Object store by URL; empty is a folder below the data.")] = ""
    workers: Annotated[int, Meta(description="Worker processes of `simgap up`, over both queues.", ge=2, le=256)] = 2
    document_bytes: Annotated[int, Meta(description="Largest decoded upload, in bytes.", ge=1)] = 64 * MIB
    request_bytes: Annotated[int, Meta(description="Largest JSON request, in bytes.", ge=1)] = 1 * MIB
    uploads: Annotated[int, Meta(description="Uploads that are received at once; each is held in memory.", ge=1)] = 16
    idle_seconds: Annotated[float, Meta(description="Seconds to wait for a sender that sends nothing.", gt=0)] = 60.0
    secret: Annotated[str, Meta(description="Secret of the ids that equal requests share; empty makes one.")] = ""
    reconcile_seconds: Annotated[float, Meta(description="Seconds between two looks for lost work.", gt=0)] = 5.0
    attempts: Annotated[int, Meta(description="How often lost work is started again.", ge=1)] = 10

    @property
    def folder(self) -> Path:
        """The data folder, absolute."""
        return Path(self.data).expanduser().absolute()

    @property
    def store_url(self) -> str:
        """The object store's URL."""
        return self.store or (self.folder / "objects").as_uri()

    @property
    def loopback(self) -> bool:
        """Does the service listen to this machine alone?"""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def read_settings(environment: Mapping[str, str]) -> Settings:
    """The settings from the environment; raises SettingsError, which names the variable."""
    given = {name: environment[variable(name)] for name in Settings.__struct_fields__ if variable(name) in environment}
    try:
        return msgspec.convert(given, Settings, strict=False)
    except msgspec.ValidationError as error:
        message = str(error)
        name = message.rpartition("$.")[2].rstrip("`")
        raise SettingsError(f"{variable(name)}: {message.partition(' - at')[0]}.") from error


def write_settings(settings: Settings) -> dict[str, str]:
    """The environment that `read_settings` reads as these settings: how a process hands them to the next."""
    return {variable(name): str(getattr(settings, name)) for name in Settings.__struct_fields__}


def variable(name: str) -> str:
    """The environment variable of a setting."""
    return f"SIMGAP_{name.upper()}"
