"""What is mutated: files, and the commands that read them."""

from __future__ import annotations

import pathlib
import shutil
from typing import TYPE_CHECKING, NamedTuple

from kubestage.cli import app, failures
from tests.cli import recordings

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = pathlib.Path(__file__).parents[3]
EXAMPLES = ROOT / "examples"
_KUBECONFIG = """apiVersion: v1
kind: Config
current-context: here
clusters:
- name: one
  cluster: {server: "http://127.0.0.1:1", tls-server-name: x, insecure-skip-tls-verify: true}
users:
- name: me
  user: {token: abc, username: a, password: b}
contexts:
- name: here
  context: {cluster: one, user: me, namespace: shop}
"""
_TRAFFIC = """apiVersion: kubestage.io/v1alpha1
kind: Traffic
metadata: {name: t}
spec:
  pattern:
    trace: {file: trace.csv}
"""


class Entry(NamedTuple):
    """A folder with files, those of them that are mutated, and a command that runs there."""

    name: str
    folder: pathlib.Path
    mutated: tuple[str, ...]
    arguments: tuple[str, ...]
    share: int = 10
    is_raw: bool = False
    """Whether what is printed is for programs, who get it as it is."""


def build(place: pathlib.Path) -> list[Entry]:
    """All entries; their folders are made below a place."""
    return list(_entries(place))


def _entries(place: pathlib.Path) -> Iterator[Entry]:
    yield from _validated(place)
    yield from _examples(place)
    yield from _loads(place)
    yield from _kept(place)
    yield from _others(place)


def _validated(place: pathlib.Path) -> Iterator[Entry]:
    for file in sorted(EXAMPLES.rglob("*")):
        if file.suffix not in (".yaml", ".yml", ".csv", ".jsonl") or file.stat().st_size > 30_000:
            continue
        folder = place / f"validate-{file.parent.name}"
        if not folder.exists():
            shutil.copytree(file.parent, folder)
        yield Entry(f"validate {file.name}", folder, (file.name,), ("validate", file.name), 3)


def _examples(place: pathlib.Path) -> Iterator[Entry]:
    for number, arguments, mutated, share in (
        ("01", "get all -A -f .", ("cluster.yaml", "shop.yaml", "shop-running.yaml"), 10),
        ("01", "get all -A -o yaml -f .", ("cluster.yaml", "shop.yaml"), 5),
        ("01", "get all -A -o json -f shop.yaml", ("shop.yaml",), 5),
        ("01", "get pods -A -o wide --show-labels -f shop-running.yaml", ("shop-running.yaml",), 10),
        ("01", "get pods -n shop -f . --sort-by .spec.nodeName -o custom-columns=P:.metadata.name,"
         "N:.spec.nodeName", ("shop-running.yaml",), 5),
        ("04", "run nodes.yaml pods.yaml --config scheduler.yaml", ("nodes.yaml", "pods.yaml"), 20),
        ("04", "run nodes.yaml pods.yaml --config scheduler.yaml", ("scheduler.yaml",), 20),
        ("04", "config view --config scheduler.yaml", ("scheduler.yaml",), 30),
        ("04", "config view --config scheduler-v1alpha2.yaml", ("scheduler-v1alpha2.yaml",), 15),
        ("07", "run . --explain shop/checkout", ("cluster.yaml", "checkout.yaml"), 15),
        ("10", "run . --for 2m", ("nodes.yaml", "web.yaml"), 10),
        ("11", "run . --for 1h", ("cluster.yaml", "cronjobs.yaml"), 8),
        ("12", "run cluster.yaml db.yaml --for 1m", ("cluster.yaml", "db.yaml"), 10),
        ("13", "run stages.yaml nodes.yaml work.yaml --for 1m", ("stages.yaml", "nodes.yaml", "work.yaml"), 15),
        ("14", "run scenario.yaml --config scheduler.yaml", ("scenario.yaml",), 25),
        ("15", "compare scenario.yaml --config before.yaml --config default", ("scenario.yaml", "before.yaml"), 4),
        ("16", "run export.yml", ("export.yml",), 15),
        ("16", "run recording.jsonl", ("recording.jsonl",), 15),
        ("19", "run . --for 1m", ("cluster.yaml", "traffic.yaml", "web.yaml"), 15),
        ("21", "run . --for 2m", ("cluster.yaml", "traffic.yaml", "web.yaml"), 8),
        ("22", "run . --for 2m", ("nodes.yaml", "traffic.yaml", "web.yaml"), 8),
        ("23", "backtest cpu.csv calm.yaml deployment.yaml", ("cpu.csv", "calm.yaml", "deployment.yaml"), 20),
        ("23", "backtest cpu.csv vpa.yaml deployment.yaml", ("cpu.csv", "vpa.yaml"), 12),
        ("31", "run scenario.yaml --profile slow-affinity.yaml", ("slow-affinity.yaml",), 6),
    ):  # fmt: skip
        yield Entry(
            f"{number} {arguments}",
            _example(place, number),
            mutated,
            tuple(arguments.split()),
            share,
        )


def _example(place: pathlib.Path, number: str) -> pathlib.Path:
    (source,) = EXAMPLES.glob(f"{number}-*")
    folder = place / source.name
    if not folder.exists():
        shutil.copytree(source, folder)
    return folder


def _loads(place: pathlib.Path) -> Iterator[Entry]:
    load = _example(place, "25")
    (load / "overrides.yaml").write_text("CL2_X: 1\n")
    (load / "profile.yaml").write_text(
        (next(EXAMPLES.glob("31-*")) / "slow-affinity.yaml").read_text()
    )
    files = ("load.yaml", "deployment.yaml", "deployments.yaml", "pod.yaml")
    dry = ("load", "load.yaml", "--nodes", "3", "--dry-run")
    yield Entry("load --dry-run", load, files, dry, 60)
    yield Entry("load", load, files, ("load", "load.yaml", "--nodes", "3"), 25)
    yield Entry(
        "load document", load, ("document.yaml",), ("load", "document.yaml", "--nodes", "3"), 6
    )
    yield Entry(
        "load overrides", load, ("overrides.yaml",), (*dry, "--testoverrides", "overrides.yaml"), 10
    )
    yield Entry("load profile", load, ("profile.yaml",), (*dry, "--profile", "profile.yaml"), 5)
    folder = place / "kubeconfig"
    shutil.copytree(load, folder)
    (folder / "config").write_text(_KUBECONFIG)
    yield Entry("clock", folder, ("config",), ("clock", "--kubeconfig", "config", "show"), 15)
    dry = ("load", "pod.yaml", "--kubeconfig", "config", "--dry-run")
    yield Entry("load --kubeconfig", folder, ("config",), dry, 10)
    limit = _example(place, "26")
    words = "--nodes 2 --slo pod-startup-p99<=5s --vary tuningSets.Uniform.qps --from 80 --to 90 --seeds 1 --jobs 1"
    yield Entry(
        "find-limit", limit, ("load.yaml",), ("load", "find-limit", "load.yaml", *words.split()), 1
    )


def _kept(place: pathlib.Path) -> Iterator[Entry]:
    """Runs that were kept, edited or damaged."""
    folder = place / "kept"
    folder.mkdir()
    scenario, out = _example(place, "14"), str(folder / "run")
    run(
        "run",
        str(scenario / "scenario.yaml"),
        "--out",
        out,
        "--detail",
        "full",
        "--profile",
        "gce-100",
    )
    run("run", str(scenario / "scenario.yaml"), "--out", str(folder / "other"), "--seed", "3")
    web = _example(place, "19")
    trace = str(folder / "trace.sqlite")
    run("run", str(web), "--for", "2m", "--out", str(folder / "life"), "--trace-out", trace)
    files = tuple(
        f"run/{name}" for name in ("scenario.json", "run.json", "record.sqlite", "timings.json")
    )
    for words, share in (
        ("explain run checkout-0", 20),
        ("explain run checkout-0 --attempt 1 -o json", 8),
        ("explain run checkout-0 --node zone-a-1", 8),
        ("analyze run", 20),
        ("analyze run pods", 6),
        ("analyze run timings", 6),
        ("analyze run nodes -o csv", 6),
        ("analyze run balance", 6),
        ("analyze run attempts --by pod,result", 6),
        ("analyze run/scenario.json", 6),
        ("compare run other", 10),
        ("run run/scenario.json", 5),
    ):
        yield Entry(words, folder, files, tuple(words.split()), share)
    for words, share in (
        ("analyze life", 15),
        ("analyze life replicas", 6),
        ("compare life life", 5),
    ):
        yield Entry(words, folder, ("life/life.json", "life/run.json"), tuple(words.split()), share)
    yield Entry(
        "trace show", folder, ("trace.sqlite",), ("trace", "show", "trace.sqlite", "--to", "5s"), 12
    )
    yield Entry("trace runs", folder, ("trace.sqlite",), ("trace", "runs", "trace.sqlite"), 6)


def _others(place: pathlib.Path) -> Iterator[Entry]:
    folder = place / "others"
    folder.mkdir()
    recordings.write(recordings.recorded(), str(folder / "case.json"))
    recordings.write(recordings.recorded(), str(folder / "case.json.gz"))
    (folder / "trace.csv").write_text("arrival\n0\n0.5\n1\n1.5\n")
    (folder / "traffic.yaml").write_text(_TRAFFIC)
    (folder / "pods.template").write_text(
        '{{range .items}}{{.metadata.name}} {{printf "%5d" 3}}\n{{end}}'
    )
    (folder / "pods.jsonpath").write_text('{range .items[*]}{.metadata.name}{"\\n"}{end}')
    (folder / "pods.columns").write_text("NAME  NODE\n.metadata.name .spec.nodeName\n")
    shutil.copy(EXAMPLES / "01-first-cluster" / "shop-running.yaml", folder / "pods.yaml")
    yield Entry("verify", folder, ("case.json",), ("verify", "case.json"), 25)
    yield Entry("verify packed", folder, ("case.json.gz",), ("verify", "case.json.gz"), 8)
    yield Entry(
        "trace file", folder, ("trace.csv", "traffic.yaml"), ("validate", "traffic.yaml"), 12
    )
    get = ("get", "pods", "-A", "-f", "pods.yaml", "-o")
    for name, form in (
        ("template", "go-template"),
        ("jsonpath", "jsonpath"),
        ("columns", "custom-columns"),
    ):
        file = f"pods.{name}"
        yield Entry(f"get {form}", folder, (file,), (*get, f"{form}-file={file}"), 10, is_raw=True)


def run(*arguments: str) -> None:
    """Run a command that has to succeed."""
    code = failures.guard(app.run, list(arguments))
    assert code in (0, 1), f"{arguments}: {code}"
