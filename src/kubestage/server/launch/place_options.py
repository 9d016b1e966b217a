"""The first options of a served cluster: where it is found, and where it is kept."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from kubestage.runs.flags import Flag, Options

KEPT: Final = "What is kept"


AuthorizationMode = Annotated[
    tuple[str, ...],
    Flag(
        "How is decided who may do what: Node, RBAC, AlwaysAllow or AlwaysDeny. "
        "(default: Node,RBAC; with --api-only AlwaysAllow, as with kube-apiserver)",
        metavar="MODES",
        panel="The cluster",
        show_default=False,
    ),
]
"""How is decided who may do what."""


class PlaceOptions(Options, frozen=True, kw_only=True):
    """What is there at the start, where clients find it, and what is left on disk."""

    files: tuple[str, ...] = ()
    """Objects that are there from the start: files, directories, or ``-`` for stdin."""
    port: Annotated[
        int, Flag("Where to listen; 0 lets one be chosen.", minimum=0, maximum=65535)
    ] = 18080
    kubeconfig: Annotated[
        str | None,
        Flag("Where to write the kubeconfig. (default: in the data directory)", metavar="FILE"),
    ] = None
    ready_file: Annotated[
        str | None,
        Flag(
            "Write url and kubeconfig to this JSON file when clients can connect.", metavar="FILE"
        ),
    ] = None
    exit_with_parent: Annotated[
        bool, Flag("End when the process that started this one has ended.")
    ] = False
    data_dir: Annotated[
        str | None,
        Flag(
            "Where everything is kept, so that a later start goes on from there. "
            "(default: .kubestage)",
            metavar="DIR",
            panel=KEPT,
        ),
    ] = None
    in_memory: Annotated[bool, Flag("Keep nothing on disk.", panel=KEPT)] = False
    durability: Annotated[
        Literal["full", "relaxed"],
        Flag(
            "full: an answer means that the disk has it. relaxed: the last moments may be lost.",
            panel=KEPT,
        ),
    ] = "full"
    record: Annotated[
        str | None,
        Flag(
            "Write what clients ask for to this file, as a Scenario that can be run again.",
            metavar="FILE",
            panel=KEPT,
        ),
    ] = None
