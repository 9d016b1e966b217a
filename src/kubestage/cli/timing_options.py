"""The options that have the scheduler's durations measured or modelled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer

from kubestage.cli import completion

if TYPE_CHECKING:
    from kubestage.cluster.profile import Profile as ControlPlane

_PANEL: Final = "How long scheduling takes"
_PROFILES: Final = ("instant", "default", "kind", "gce-100", "gce-5000", "kubemark")

Timings = Annotated[
    bool,
    typer.Option(
        "--timings",
        help="Measure the wall time of attempts, extension points and plugins.",
        rich_help_panel=_PANEL,
    ),
]
Profile = Annotated[
    str | None,
    typer.Option(
        "--profile",
        metavar="NAME|FILE",
        help="A modelled control plane says how long scheduling takes, in virtual time: "
        f"{', '.join(_PROFILES)}, or a file.",
        show_default=False,
        autocompletion=completion.one_of(*_PROFILES),
        rich_help_panel=_PANEL,
    ),
]


def control_plane(profile: str | None, *, is_measured: bool) -> ControlPlane | None:
    """The control plane that was named; durations are measured or modelled, not both."""
    from kubestage.runs.inputs import control_plane as planes

    return planes.read(profile, is_measured=is_measured)
