"""A stage on a data directory, served to nobody."""

from __future__ import annotations

import contextlib
import shutil
from typing import TYPE_CHECKING, Any

import msgspec

from kubestage.server.journal import opening
from kubestage.server.live import Live

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterator

    from kubestage.server.journal.journal import Journal
    from kubestage.store.store import Store

CONFIG_MAP = ("v1", "ConfigMap")


@contextlib.contextmanager
def served(directory: pathlib.Path, **options: Any) -> Iterator[tuple[Live, Journal]]:
    """Open a directory and keep what happens; closes it in order."""
    stage, journal = opening.open_directory(directory, **options).stage()
    try:
        live = Live(stage)
        journal.start(live)
        yield live, journal
    finally:
        journal.close()


def config_map(name: str, **data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def copy_of(directory: pathlib.Path) -> pathlib.Path:
    """The files as they are now: what a process leaves that is killed at this moment."""
    copy = directory.with_name(f"{directory.name}-{len(list(directory.parent.iterdir()))}")
    shutil.copytree(directory, copy)
    return copy


def texts(store: Store) -> dict[tuple[str, str], bytes]:
    """All objects as bytes, in the order in which each kind has them."""
    return {
        (each.kind.resource, key): msgspec.json.encode(obj)
        for each in store.collections()
        for key, obj in each.objects.items()
    }


def names(store: Store) -> list[str]:
    return [key.removeprefix("default/") for key in store.read(CONFIG_MAP)]
