"""What pytest knows of a test's cluster: its markers, the configuration file, the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import InputError

if TYPE_CHECKING:
    import pathlib

    import pytest

MARKER: Final = "kubestage"
MARKER_HELP: Final = (
    "kubestage(nodes=3, node='cpu=8,memory=32Gi,pods=110', seed=0, manifests=[...], config=None, "
    "plugins=[...], start=None, setting={...}, pace='jump', patience=10): the cluster of this test."
)
KEEP: Final = "--kubestage-keep"
_INI: Final = (
    ("nodes", "string", "How many nodes clusters have (3, or those of the manifests)."),
    ("node", "string", "What a node has: cpu=8,memory=32Gi,pods=110."),
    ("seed", "string", "The seed of clusters (0)."),
    ("start", "string", "When virtual time begins (2026-01-01T00:00:00Z)."),
    ("config", "string", "The KubeSchedulerConfiguration of clusters, a file."),
    ("manifests", "linelist", "Files and folders with objects that clusters begin with."),
    ("plugins", "linelist", "Scheduler plugins: file.py:Class, one per line."),
    ("setting", "linelist", "Settings of controllers: hpa.sync-period=30s, one per line."),
    ("pace", "string", "How the clock of cluster_server passes by itself: jump or still."),
    ("patience", "string", "Real seconds that clients of cluster_server have to react (10)."),
)
_NUMBERS: Final[dict[str, type[int] | type[float]]] = {
    "nodes": int, "seed": int, "patience": float,
}  # fmt: skip
_PATHS: Final = ("config", "manifests", "plugins")


def add_to(parser: pytest.Parser) -> None:
    """Add the options of the command line, and those of the configuration file."""
    parser.getgroup(MARKER, "kubestage: simulated clusters").addoption(
        KEEP,
        metavar="DIR",
        default=None,
        help="keep the clusters of failing tests in directories below DIR, which `kubestage open` "
        "and `kubestage explain` take",
    )
    for name, kind, text in _INI:
        # pytest's own list of kinds is a Literal.
        parser.addini(f"kubestage_{name}", text, type=kind, default=None)  # type: ignore[arg-type]


def keep_folder(config: pytest.Config) -> pathlib.Path | None:
    """Where clusters of failing tests are kept; None if they are not."""
    chosen = config.getoption(KEEP)
    return None if not chosen else config.invocation_params.dir / str(chosen)


def defaults(config: pytest.Config) -> dict[str, Any]:
    """What the configuration file says about all clusters."""
    folder = config.rootpath if config.inipath is None else config.inipath.parent
    found: dict[str, Any] = {}
    for name, _, _ in _INI:
        value = config.getini(f"kubestage_{name}")
        if not value:
            continue
        if name in _PATHS:
            texts = [value] if isinstance(value, str) else value
            placed = [str(folder / each) if (folder / each).exists() else each for each in texts]
            value = placed[0] if isinstance(value, str) else placed
        found[name] = _number(name, value) if name in _NUMBERS else value
    return found


def _number(name: str, value: str) -> int | float:
    try:
        return _NUMBERS[name](value)
    except ValueError:
        problem = f'"{value}" is no number'
        raise InputError(problem, path=f"kubestage_{name}", fix="write it as 5") from None


def marked(request: pytest.FixtureRequest) -> dict[str, Any]:
    """What the markers of a test say; the closest one wins."""
    found: dict[str, Any] = {}
    for marker in reversed(list(request.node.iter_markers(MARKER))):
        if marker.args:
            fix = f"write it as in @pytest.mark.{MARKER}(nodes=5)"
            problem = f"{marker.args[0]!r} has no name"
            raise InputError(problem, path=f"@pytest.mark.{MARKER}", fix=fix)
        found |= marker.kwargs
    return found
