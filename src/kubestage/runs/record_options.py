"""The options of ``kubestage record``."""

from __future__ import annotations

from typing import Annotated, Final

from kubestage.runs.flags import Flag, Options

_CONTENT: Final = "Content"
_USAGE: Final = "Usage"
USAGE_INTERVAL: Final = "60s"


class RecordOptions(Options, frozen=True, kw_only=True):
    """Which cluster is recorded, for how long, and what is kept of it."""

    kubeconfig: Annotated[
        str | None,
        Flag("Record the cluster that a kubeconfig leads to.", metavar="FILE",
             default="as kubectl finds it"),
    ] = None  # fmt: skip
    context: Annotated[str, Flag("The context; else the current one.", metavar="NAME")] = ""
    record_for: Annotated[
        str | None,
        Flag("End after this time; else Ctrl-C ends it.", "--for", metavar="TIME"),
    ] = None
    with_secrets: Annotated[
        bool,
        Flag("Keep the data of Secrets; tokens are never kept.", "--with-secrets",
             panel=_CONTENT, show_default=False),
    ] = False  # fmt: skip
    with_config_data: Annotated[
        bool,
        Flag("Keep the data of ConfigMaps.", "--with-config-data",
             panel=_CONTENT, show_default=False),
    ] = False  # fmt: skip
    anonymise: Annotated[
        bool,
        Flag("Replace names, images and values by hashes before anything is written.",
             "--anonymise", panel=_CONTENT, show_default=False),
    ] = False  # fmt: skip
    key: Annotated[
        str | None,
        Flag("Key of the replaced names, or a file with it; needed to continue the recording.",
             metavar="TEXT|FILE", panel=_CONTENT),
    ] = None  # fmt: skip
    usage: Annotated[
        bool,
        Flag("Record what pods and nodes use, by metrics.k8s.io or a Prometheus.",
             "--usage/--no-usage", panel=_USAGE),
    ] = True  # fmt: skip
    usage_interval: Annotated[
        str, Flag("The time between two samples of usage.", metavar="TIME", panel=_USAGE)
    ] = USAGE_INTERVAL
    prometheus: Annotated[
        str | None,
        Flag(
            "Take usage from this Prometheus: an address, or a path of the API server; "
            "PROMETHEUS_TOKEN is its token.",
            metavar="URL", panel=_USAGE,
        ),
    ] = None  # fmt: skip
