"""All formats, in the order in which they are tried."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.sources.formats import (
    cluster_info,
    k8shark,
    kss,
    kubectl_dump,
    kubereplay,
    kwok,
    must_gather,
    own_folder,
    simkube,
    support_bundle,
)
from kubestage.sources.formats.audit import log as audit_log
from kubestage.sources.formats.audit import requests as audit_requests

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubestage.sources.entries import Entry
    from kubestage.sources.imported import Origin
    from kubestage.sources.intake import Intake
    from kubestage.sources.tree import Tree


class TreeFormat(NamedTuple):
    """A format that a whole folder or archive has."""

    name: str
    is_one: Callable[[Sequence[str]], bool]
    read: Callable[[Tree, Intake], Origin]


class FileFormat(NamedTuple):
    """A format of single files."""

    name: str
    is_one: Callable[[Entry], bool]
    read: Callable[[Entry, Intake], Origin]


TREES: Final = (
    TreeFormat(own_folder.NAME, own_folder.is_one, own_folder.read),
    TreeFormat(k8shark.NAME, k8shark.is_one, k8shark.read),
    TreeFormat(must_gather.NAME, must_gather.is_one, must_gather.read),
    TreeFormat(support_bundle.NAME, support_bundle.is_one, support_bundle.read),
    TreeFormat(cluster_info.NAME, cluster_info.is_one, cluster_info.read),
)
FILES: Final = (
    FileFormat(audit_log.NAME, audit_log.is_one, audit_log.read),
    FileFormat(kss.RECORDING, kss.is_recording, kss.read_recording),
    FileFormat(k8shark.NAME, k8shark.is_stream, k8shark.read_stream),
    FileFormat(kubereplay.NAME, kubereplay.is_one, kubereplay.read),
    FileFormat(simkube.NAME, simkube.is_one, simkube.read),
    FileFormat(kss.EXPORT, kss.is_export, kss.read_export),
    FileFormat(kwok.NAME, kwok.is_one, kwok.read),
    FileFormat(cluster_info.NAME, cluster_info.is_stream, cluster_info.read_stream),
    FileFormat(kubectl_dump.NAME, kubectl_dump.is_one, kubectl_dump.read),
)
FINISH: Final = {audit_log.NAME: audit_requests.finish}
"""Formats of which several files are one log: what is done when all are read."""

NAMES: Final = tuple(dict.fromkeys(each.name for each in (*TREES, *FILES)))
