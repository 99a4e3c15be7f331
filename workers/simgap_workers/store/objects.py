"""The object store: the truth of the service. Objects are created once, read, listed; never changed.

A local folder by default, any store that obstore opens by URL otherwise. A create is atomic: of many, one wins.
obstore starts threads on first use, and a process forked after that hangs: a worker's parent must never come here.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import unquote, urlsplit

import obstore
from obstore.exceptions import AlreadyExistsError, GenericError
from obstore.store import LocalStore, ObjectStore, from_url

from simgap_workers.store.ids import new_id


class StoreError(Exception):
    """The store cannot hold the service's promises; the message says why."""


class StoreFullError(OSError):
    """There is no room left, on the disk or in a quota."""


_FULL = (errno.ENOSPC, errno.EDQUOT)


class Objects:
    """Objects by key. Every method blocks; an event loop calls them through a thread."""

    def __init__(self, store: ObjectStore, folder: Path | None = None) -> None:
        """folder: where the store lies if it is local, for creates that must outlive a loss of power."""
        self._store = store
        self._folder = folder

    @classmethod
    def open(cls, url: str) -> Objects:
        """Open `file:///folder` (made where it is missing), or what else obstore knows, such as `s3://bucket/prefix`."""
        parts = urlsplit(url)
        if parts.scheme != "file":
            return cls(from_url(url))
        folder = Path(unquote(parts.path))
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return cls(LocalStore(folder), folder)

    def create(self, key: str, data: bytes, *, durable: bool = False) -> bool:
        """Create an object; False, and nothing is changed, where there is one already.

        durable: on a local folder, return only when the file and its folders are on the disk.
        Raises StoreFullError.
        """
        with _room():
            try:
                obstore.put(self._store, key, data, mode="create")
                won = True
            except AlreadyExistsError:
                won = False
            if durable and self._folder is not None:
                _sync(self._folder / key, self._folder)
        return won

    def get(self, key: str) -> bytes | None:
        """The object's bytes, or None where there is none."""
        try:
            return bytes(obstore.get(self._store, key).bytes())
        except FileNotFoundError:
            return None

    def exists(self, key: str) -> bool:
        """Is there an object of this key?"""
        try:
            obstore.head(self._store, key)
        except FileNotFoundError:
            return False
        return True

    def keys(self, prefix: str) -> list[str]:
        """All keys below a prefix (whole path segments), in order."""
        found: list[str] = []
        for page in obstore.list(self._store, prefix):
            found.extend(entry["path"] for entry in page)
        return sorted(found)

    def folders(self, prefix: str) -> list[str]:
        """The names that stand directly below a prefix and hold objects, in order."""
        result = obstore.list_with_delimiter(self._store, prefix)
        return sorted(path.rstrip("/").rpartition("/")[2] for path in result["common_prefixes"])

    def delete(self, key: str) -> None:
        """Delete an object; nothing happens where there is none."""
        try:
            obstore.delete(self._store, key)
        except FileNotFoundError:
            return

    def clear(self, prefix: str) -> None:
        """Delete every object below a prefix (whole path segments), and on a local folder the folder too."""
        for key in self.keys(prefix):
            self.delete(key)
        if self._folder is not None:
            shutil.rmtree(self._folder / prefix, ignore_errors=True)

    def check(self) -> None:
        """Raise StoreError where a second create of one key wins: nothing here would be safe."""
        key = f"probe/{new_id('ts')}"
        first, second = self.create(key, b""), self.create(key, b"")
        self.delete(key)
        if not first or second:
            raise StoreError("The object store lets a key be created twice; SimGap needs create-if-absent.")


@contextmanager
def _room() -> Iterator[None]:
    """Tell a full disk apart; obstore has no class for it, only the system's number in its message."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise StoreFullError(error.errno, "the object store is full") from error
        raise
    except GenericError as error:
        for number in _FULL:
            if f"(os error {number})" in str(error):
                raise StoreFullError(number, "the object store is full") from error
        raise


def _sync(file: Path, root: Path) -> None:
    """Put a file and the folders down to it on the disk; what another process has deleted meanwhile needs none."""
    for path in (file, *file.parents):
        with suppress(FileNotFoundError):
            _sync_one(path)
        if path == root:
            return


def _sync_one(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
