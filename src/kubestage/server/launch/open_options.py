"""The options of ``kubestage open``."""

from __future__ import annotations

from typing import Annotated

from kubestage.runs.flags import Flag, Options


class OpenOptions(Options, frozen=True, kw_only=True):
    """Where kept runs are served."""

    port: Annotated[
        int, Flag("Where to listen; 0 lets one be chosen.", minimum=0, maximum=65535)
    ] = 0
    host: Annotated[
        str,
        Flag("The address to listen at. Beyond this machine, TLS and a token are demanded."),
    ] = "127.0.0.1"
