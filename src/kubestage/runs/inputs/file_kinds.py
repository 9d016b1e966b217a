"""What a file is, by what it says or holds: who is to read it, and what to type for that.

A file may be broken, or YAML only after its templates are rendered. So it is recognised by its
beginning and by the keys at its margin.
"""

from __future__ import annotations

import enum
import pathlib
import re
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from kubestage.errors import InputError
from kubestage.files import reading
from kubestage.objects import manifest, price_tables
from kubestage.scenario import kss_input

if TYPE_CHECKING:
    from collections.abc import Set

_BOM: Final = b"\xef\xbb\xbf"
_GZIP: Final = b"\x1f\x8b"
_ZIP: Final = b"PK\x03\x04"
# Archives, and files that only `kubestage import` reads: traces of SimKube, audit logs, captures.
_ARCHIVE: Final = re.compile(r"\.(tar(\.\w+)?|tgz|zip|sktrace|kshrk)$")
_IMPORTED: Final = re.compile(rb'"audit\.k8s\.io/|"trackedObjects"\s*:|"api_path"\s*:')
_HEAD: Final = 4096
_KEY: Final = re.compile(
    rb"""^["']?([A-Za-z_][\w.-]*)["']?[ \t]*:(?:[ \t]+(.*?))?[ \t\r]*$""", re.MULTILINE
)
_SUITE: Final = re.compile(rb"""^(?:-|  )[ \t]*["']?configPath["']?[ \t]*:""", re.MULTILINE)
_DIRECTIVE: Final = re.compile(rb"\{\{")
_SCHEDULER_GROUP: Final = b"kubescheduler.config.k8s.io/"
_SECTIONS: Final = {
    "extends", "api", "etcd", "watch", "network", "client", "scheduler", "controllers", "kubelet",
}  # fmt: skip
_PROFILE: Final = _SECTIONS | {"name", "description"}
_KUBECONFIG: Final = {"clusters", "contexts", "users", "current-context"}
_DEEP: Final = 4
_RUN_KEYS: Final = {"version", "seed", "tieBreak"}


class FileKind(enum.Enum):
    """What a file may be; one that says nothing of what it is, is unknown."""

    MANIFESTS = "objects of a cluster"
    SCENARIO = "a Scenario"
    UNKNOWN = "of no kind that is known"
    SCHEDULER = "a scheduler configuration"
    LOAD = "a load configuration"
    SUITE = "a suite of loads"
    OVERRIDES = "overrides of a load"
    MODULE = "a module of a load"
    TEMPLATE = "a template, which is no YAML before it is filled in"
    CONTROL_PLANE = "a control-plane profile"
    EXPORT = "an export of kube-scheduler-simulator"
    RECORDING = "a recording of kube-scheduler-simulator"
    TRACE = "a trace of requests"
    USAGE = "recorded usage"
    PRICES = "a price catalog"
    KUBECONFIG = "a kubeconfig"
    ELSEWHERE = "from another program"
    CHART = "a Helm chart"
    VALUES = "the values of a Helm chart"
    KUSTOMIZATION = "a Kustomization"
    SWEEP = "a Sweep"
    RUN = "part of a run that was kept"


OBJECTS: Final = (
    FileKind.MANIFESTS, FileKind.SCENARIO, FileKind.TEMPLATE, FileKind.KUSTOMIZATION,
    FileKind.UNKNOWN,
)  # fmt: skip
"""What is read as manifests; errors in it are reported then."""

_USES: Final = {
    FileKind.SCHEDULER: "name it with --config {file}, or see it with "
    "`kubestage config view --config {file}`",
    FileKind.LOAD: "run it with `kubestage load {file}`",
    FileKind.SUITE: "run it with `kubestage load {file}`",
    FileKind.OVERRIDES: "name it with `kubestage load CONFIG --testoverrides {file}`",
    FileKind.MODULE: "run the load that names it: `kubestage load CONFIG`",
    FileKind.TEMPLATE: "run the load that names it (`kubestage load CONFIG`), or render the chart: "
    "`helm template CHART | kubestage run -`",
    FileKind.CONTROL_PLANE: "name it with --profile {file}, as in "
    "`kubestage load CONFIG --profile {file}`",
    FileKind.EXPORT: "run it with `kubestage run {file}`",
    FileKind.RECORDING: "run it with `kubestage run {file}`",
    FileKind.TRACE: "name it in a Traffic: spec.pattern.trace.file",
    FileKind.USAGE: "backtest it with `kubestage backtest {file} HPA.yaml`",
    FileKind.PRICES: "name it with --prices {file}, as in "
    "`kubestage cost -f CLUSTER --prices {file}`",
    FileKind.KUBECONFIG: "run a load on that cluster with `kubestage load CONFIG --kubeconfig "
    "{file}`, or import its objects: `kubestage import --kubeconfig {file} --out cluster`",
    FileKind.ELSEWHERE: "import it first: `kubestage import {file} --out cluster`",
    FileKind.CHART: "render it first: `helm template {folder} | kubestage run -`",
    FileKind.VALUES: "render the chart first: `helm template {folder} | kubestage run -`",
    FileKind.KUSTOMIZATION: "build it first: `kubectl kustomize {folder} | kubestage run -`",
    FileKind.SWEEP: "run it with `kubestage sweep {file}`",
    FileKind.RUN: "look at it with `kubestage analyze {folder}`",
    FileKind.MANIFESTS: "run them with `kubestage run {file}`",
    FileKind.SCENARIO: "run it with `kubestage run {file}`",
    FileKind.UNKNOWN: "see `kubestage --help` for what there is",
}


class _Top(NamedTuple):
    """What stands at the margin of a text: keys and, of two of them, their values."""

    keys: Set[str]
    api_version: bytes
    kind: bytes


def recognise(name: str, data: bytes) -> FileKind:
    """What a file of a name is."""
    data = data.removeprefix(_BOM)
    path = pathlib.Path(name)
    if _ARCHIVE.search(path.name) or data.startswith(_ZIP) or _IMPORTED.search(data[:_HEAD]):
        return FileKind.ELSEWHERE
    if {".csv"} & set(path.suffixes) or data.startswith(_GZIP):
        return _csv(data)
    top = _top(data)
    sniffed = None if "steps" in top.keys else kss_input.sniff(data)
    if sniffed is not None:
        return FileKind.RECORDING if sniffed == kss_input.RECORDING else FileKind.EXPORT
    found = _by_head(top, path) or _by_keys(top, data) or _by_place(path, data)
    if found is not None:
        return found
    if _is_template(data):
        return FileKind.TEMPLATE
    return FileKind.MANIFESTS if top.kind or top.api_version else FileKind.UNKNOWN


def is_elsewhere(kind: FileKind) -> bool:
    """Whether a file is no set of objects. Readers of objects report some kinds themselves."""
    return kind not in (*OBJECTS, FileKind.SCHEDULER)


def is_part(kind: FileKind) -> bool:
    """Whether a file is read only because another one names it."""
    return kind in (FileKind.TEMPLATE, FileKind.MODULE, FileKind.VALUES, FileKind.OVERRIDES)


def expect(expected: FileKind, name: str, data: bytes, *others: FileKind) -> None:
    """Refuse a file that is known to be something else than expected, or `others`.

    A file that is not recognised is left to its reader.
    """
    kind = recognise(name, data)
    if kind not in (expected, FileKind.UNKNOWN, *others):
        raise refusal(kind, name, expected.value)


def expect_run(path: str) -> None:
    """Refuse a file that is no Scenario where the path of a run is expected."""
    place = pathlib.Path(path)
    if place.is_file():
        kind = recognise(path, reading.read(place))
        if is_elsewhere(kind) or kind is FileKind.SCHEDULER:
            raise refusal(kind, path, "a run")


def refusal(kind: FileKind, name: str, expected: str = FileKind.MANIFESTS.value) -> InputError:
    """A file that is something else than was expected, and the command that it is for."""
    folder = str(_chart_of(pathlib.Path(name)) or pathlib.Path(name).parent)
    fix = _USES[kind].format(file=name, folder=folder)
    return InputError(f"is {kind.value}, not {expected}", file=name, fix=fix)


def _by_head(top: _Top, path: pathlib.Path) -> FileKind | None:
    """What apiVersion and kind say."""
    if top.api_version.startswith(_SCHEDULER_GROUP) or top.kind == b"KubeSchedulerConfiguration":
        return FileKind.SCHEDULER
    if top.kind == b"Scenario":
        return FileKind.SCENARIO
    if top.kind == b"Sweep":
        return FileKind.SWEEP
    if top.kind == b"Kustomization" or path.name in ("kustomization.yaml", "kustomization.yml"):
        return FileKind.KUSTOMIZATION
    if (top.api_version, top.kind) == (b"v1", b"Config") or top.keys >= _KUBECONFIG:
        return FileKind.KUBECONFIG
    if top.api_version in (b"v1", b"v2") and not top.kind and {"name", "version"} <= top.keys:
        return FileKind.CHART
    return None


def _by_keys(top: _Top, data: bytes) -> FileKind | None:
    """What files without a kind have in them."""
    if top.kind or top.api_version:
        return None
    keys = top.keys
    if "steps" in keys:
        is_whole = bool(keys & {"name", "namespace", "namespaces", "tuningSets"})
        return FileKind.LOAD if is_whole else FileKind.MODULE
    if "tuningSets" in keys:
        return FileKind.LOAD
    if not keys and _SUITE.search(data):
        return FileKind.SUITE
    if keys and all(key.startswith("CL2_") for key in keys):
        return FileKind.OVERRIDES
    if keys and keys <= _PROFILE and keys & _SECTIONS:
        return FileKind.CONTROL_PLANE
    return FileKind.RUN if keys >= _RUN_KEYS or keys == {"source", "unit", "rows"} else None


def _by_place(path: pathlib.Path, data: bytes) -> FileKind | None:
    """What lies around a file says of one that says nothing itself, or nothing final."""
    chart = _chart_of(path)
    if chart is None:
        return None
    if path.parent == chart and path.name.startswith("values"):
        return FileKind.VALUES
    is_part = "templates" in path.relative_to(chart).parts and bool(_DIRECTIVE.search(data))
    return FileKind.CHART if is_part else None


def _chart_of(path: pathlib.Path) -> pathlib.Path | None:
    """The folder of the Helm chart that a file is part of."""
    near = list(path.parents)[:_DEEP]
    return next((each for each in near if (each / "Chart.yaml").is_file()), None)


def _is_template(data: bytes) -> bool:
    """Whether there are directives in it that keep it from being YAML; others are only texts."""
    if not _DIRECTIVE.search(data):
        return False
    return bool(manifest.read_text(data).problems)


def _csv(data: bytes) -> FileKind:
    header = b"" if data.startswith(_GZIP) else data.partition(b"\n")[0].lower()
    names = {each.strip().strip(b'"') for each in header.split(b",")}
    if price_tables.is_header(header.decode(errors="replace")):
        return FileKind.PRICES
    is_trace = b"arrival" in names or bool(names & {b"rps", b"qps"}) or not header
    return FileKind.TRACE if is_trace else FileKind.USAGE


def _top(data: bytes) -> _Top:
    stripped = data.lstrip()
    if stripped.startswith(b"{") and not stripped.startswith(b"{{"):
        return _json_top(stripped)
    keys: set[str] = set()
    values: dict[str, bytes] = {}
    for found in _KEY.finditer(data):
        key = found[1].decode()
        keys.add(key)
        values.setdefault(key, (found[2] or b"").strip(b"\"' \t"))
    return _Top(keys, values.get("apiVersion", b""), values.get("kind", b""))


def _json_top(data: bytes) -> _Top:
    try:
        fields = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _Top(frozenset(), b"", b"")
    head = {
        name: bytes(fields[name]).strip(b'"') for name in ("apiVersion", "kind") if name in fields
    }
    return _Top(fields.keys(), head.get("apiVersion", b""), head.get("kind", b""))
