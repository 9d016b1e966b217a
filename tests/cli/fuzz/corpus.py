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
_TRAFFIC = """apiVersion: kubestage.dev/v1alpha1
kind: Traffic
metadata: {name: t}
spec:
  pattern:
    trace: {file: trace.csv}
"""

# Number of an example, share of all cases, mutated files | command.
_COMMANDS = """
01 10 cluster.yaml shop.yaml shop-running.yaml | get all -A -f .
01 5 cluster.yaml shop.yaml | get all -A -o yaml -f .
01 5 shop.yaml | get all -A -o json -f shop.yaml
01 10 shop-running.yaml | get pods -A -o wide --show-labels -f shop-running.yaml
01 5 shop-running.yaml | get pods -A -f . --sort-by .spec.nodeName -o custom-columns=N:.kind
04 20 nodes.yaml pods.yaml | run nodes.yaml pods.yaml --config scheduler.yaml
04 20 scheduler.yaml | run nodes.yaml pods.yaml --config scheduler.yaml
04 30 scheduler.yaml | config view --config scheduler.yaml
04 15 scheduler-v1alpha2.yaml | config view --config scheduler-v1alpha2.yaml
07 15 cluster.yaml checkout.yaml | run . --explain shop/checkout
10 10 nodes.yaml web.yaml | run . --for 2m
11 8 cluster.yaml cronjobs.yaml | run . --for 1h
12 10 cluster.yaml db.yaml | run cluster.yaml db.yaml --for 1m
13 15 stages.yaml nodes.yaml work.yaml | run stages.yaml nodes.yaml work.yaml --for 1m
14 25 scenario.yaml | run scenario.yaml --config scheduler.yaml
15 4 scenario.yaml before.yaml | compare scenario.yaml --config before.yaml --config default
16 15 export.yml | run export.yml
16 15 recording.jsonl | run recording.jsonl
19 15 cluster.yaml traffic.yaml web.yaml | run . --for 1m
21 8 cluster.yaml traffic.yaml web.yaml | run . --for 2m
22 8 nodes.yaml traffic.yaml web.yaml | run . --for 2m
23 20 cpu.csv calm.yaml deployment.yaml | backtest cpu.csv calm.yaml deployment.yaml
23 12 cpu.csv vpa.yaml | backtest cpu.csv vpa.yaml deployment.yaml
31 6 slow-affinity.yaml | run scenario.yaml --profile slow-affinity.yaml
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
    for line in _COMMANDS.strip().splitlines():
        about, _, command = line.partition(" | ")
        number, share, *mutated = about.split()
        folder, words = _example(place, number), tuple(command.split())
        yield Entry(f"{number} {command}", folder, tuple(mutated), words, int(share))


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
    words = "--nodes 2 --slo pod-startup-p99<=5s --vary tuningSets.Uniform.qps --from 80 --to 90"
    search = ("load", "find-limit", "load.yaml", *words.split(), "--seeds", "1", "--jobs", "1")
    yield Entry("find-limit", limit, ("load.yaml",), search, 1)


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
