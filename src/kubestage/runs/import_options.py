"""The options of ``kubestage import``."""

from __future__ import annotations

from typing import Annotated, Final

from kubestage.runs.flags import Flag, Options

_CLUSTER: Final = "A live cluster"
_CONTENT: Final = "Content"


class ImportOptions(Options, frozen=True, kw_only=True):
    """Where a cluster comes from, and what is kept of it."""

    kubeconfig: Annotated[
        str | None,
        Flag("Import the cluster that a kubeconfig leads to.", metavar="FILE", panel=_CLUSTER),
    ] = None
    context: Annotated[
        str, Flag("The context; else the current one.", metavar="NAME", panel=_CLUSTER)
    ] = ""
    at: Annotated[
        str | None,
        Flag("The moment of the manifests, for sources with time; else their end.", metavar="TIME"),
    ] = None
    with_secrets: Annotated[
        bool,
        Flag(
            "Keep the data of Secrets; tokens are never kept.", "--with-secrets",
            panel=_CONTENT, show_default=False,
        ),
    ] = False  # fmt: skip
    with_config_data: Annotated[
        bool,
        Flag(
            "Keep the data of ConfigMaps.", "--with-config-data",
            panel=_CONTENT, show_default=False,
        ),
    ] = False  # fmt: skip
    anonymise: Annotated[
        bool,
        Flag(
            "Replace names, images and values by others that mean the same to schedulers.",
            "--anonymise", panel=_CONTENT, show_default=False,
        ),
    ] = False  # fmt: skip
    key: Annotated[
        str | None,
        Flag(
            "Key of the replaced names, or a file with it: the same key gives the same hashes.",
            metavar="TEXT|FILE", panel=_CONTENT,
        ),
    ] = None  # fmt: skip
