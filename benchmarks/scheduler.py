"""How fast pods are scheduled.

Two figures for each list: what the real scheduler was measured with (popped, filtered, scored,
assumed, reserved, recorded; no API server, no binding), and the whole thing (bound in the store,
with an Event for each pod, and notified). Then work of other kinds, for which the real
scheduler has no figure; on a plain list it can only be faster, so that is what it is held against.

Run as ``python benchmarks/scheduler.py [FOLDER]``, where FOLDER holds recorded lists (by default
``../shared/bench`` if there is one; without, lists of the same shapes are generated). One core;
each figure is from a process of its own, in CPU time. A ratio is pods a second over those of the
real scheduler times the speed of this machine, which is measured before, after and in slices in
between; of several rounds the middle one counts.

``--scaling`` adds the table of sizes, ``--large`` with a million pods as well; ``--json FILE``
keeps all results for ``scheduler_page.py``; ``--profile NAME`` shows where the time of a list goes.
"""

from __future__ import annotations

import argparse
import cProfile
import importlib.metadata
import json
import os
import pathlib
import platform
import pstats
import statistics
from typing import TYPE_CHECKING, Any

import scheduler_lists
import scheduler_measuring
import scheduler_parts
import scheduler_rounds
import scheduler_scaling
import scheduler_shapes
import scheduler_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kubestage.aliases import Json


SHARED = pathlib.Path(__file__).parents[2] / "shared" / "bench"
LIBRARIES = ("numpy", "numba")


def lists(options: argparse.Namespace) -> Iterator[Json]:
    """The lists of the reference, each in both ways."""
    real = scheduler_lists.real_figures(options.folder)
    for name in _chosen(scheduler_lists.NAMES, options):
        ways: dict[str, list[Json]] = {"alike": [], "whole": []}
        for _ in range(options.rounds):
            for way, rounds in ways.items():
                request = {"name": name, "binding": way == "whole"}
                rounds.append(scheduler_rounds.ask("list", options.folder, **request))
        goal = scheduler_lists.GOALS[name.partition("-")[0]]
        found: Json = {"name": name, "real": real.get(name), **ways}
        _print_list(found, goal)
        yield found | goal._asdict()


def _print_list(found: Json, goal: scheduler_lists.Goal) -> None:
    without, bound = (
        scheduler_tables.figure(found[key], found["real"]) for key in ("alike", "whole")
    )
    verdict = ""
    if without.ratio is not None:
        met = "ok" if without.ratio >= goal.target else "MISSED"
        verdict = f" {met} (>= {goal.target:g}, aim {goal.aim:g})"
    same = sum(one["identical"] or 0 for key in ("alike", "whole") for one in found[key])
    of = sum(one["pods"] for key in ("alike", "whole") for one in found[key])
    peak_mb = max(one["peak_mb"] for one in found["whole"])
    print(
        f"{found['name']:<26} {_format(without)}{verdict} | with binding {_format(bound)}"
        f" {peak_mb:5.0f} MB  {same}/{of} identical",
        flush=True,
    )


def shapes(options: argparse.Namespace) -> Iterator[Json]:
    """Other work, bound and with Events."""
    real = scheduler_lists.real_figures(options.folder)
    for name in _chosen(scheduler_shapes.SHAPES, options):
        shape = scheduler_shapes.SHAPES[name]
        rounds = [
            scheduler_rounds.ask("shape", options.folder, name=name) for _ in range(options.rounds)
        ]
        at_best = real.get(shape.real)
        if at_best is not None:
            # It was measured on pods that are tried once.
            at_best *= rounds[0]["pods"] / rounds[0]["attempts"]
        found = scheduler_tables.figure(rounds, at_best)
        peak_mb = max(one["peak_mb"] for one in rounds)
        text = f"{name:<26} {_format(found)} of the real one's best {peak_mb:5.0f} MB"
        if rounds[0].get("identical") is not None:
            text += f"  {rounds[0]['identical']}/{rounds[0]['pods']} identical"
        print(text, flush=True)
        yield {"name": name, "what": shape.what, "real": at_best, "whole": rounds}


def failing(options: argparse.Namespace) -> Iterator[Json]:
    """Attempts that find no node."""
    for name in _chosen(scheduler_shapes.FAILING, options):
        rounds = [
            scheduler_rounds.ask("failing", options.folder, name=name)
            for _ in range(options.rounds)
        ]
        first, again = (
            statistics.median(each[key] for each in rounds) for key in ("first_ms", "again_ms")
        )
        print(f"{name:<26} {first:6.2f} ms an attempt | again {again:6.2f} ms", flush=True)
        yield {"name": name, "what": scheduler_shapes.FAILING[name], "rounds": rounds}


def parts(options: argparse.Namespace) -> list[Json]:
    """Where the time goes."""
    rounds = [scheduler_rounds.ask("parts", None) for _ in range(options.rounds)]
    found = scheduler_parts.joined(rounds)
    print(f"{scheduler_parts.PODS:,} basic pods on {scheduler_parts.NODES:,} nodes, bound:")
    for each in found:
        print(f"  {each['part']:<42} {each['us_per_pod']:5.1f} us {100 * each['share']:3.0f}%")
    return found


def scaling(options: argparse.Namespace) -> Iterator[Json]:
    """What a pod costs as clusters grow."""
    for nodes, pods in scheduler_scaling.sizes(large=options.large):
        found = scheduler_rounds.ask("size", options.folder, nodes=nodes, pods=pods)
        over = " MISSED (< 8 GiB)" if found["peak_mb"] >= scheduler_scaling.MAX_MB else ""
        print(
            f"{nodes:>7,} nodes {pods:>9,} pods {found['us_per_pod']:7.1f} us a pod"
            f" {found['scored_per_pod']:6,.0f} nodes scored {found['peak_mb']:6.0f} MB{over}",
            flush=True,
        )
        yield found


def loading() -> Json:
    """What it takes to load the compiled kernels."""
    found = scheduler_rounds.loading()
    if found["cold_seconds"] is not None:
        print(
            f"compiled kernels: {found['cold_seconds']:.1f} s for the first time on a machine,"
            f" {found['warm_seconds']:.2f} s from then on; loaded before the clock starts",
            flush=True,
        )
    return found


def _format(found: scheduler_tables.Figure) -> str:
    text = f"{found.rate:7.0f} pods/s"
    return text if found.ratio is None else f"{text} {scheduler_tables.spread(found):<20}"


def _chosen(names: Any, options: argparse.Namespace) -> list[str]:
    return [name for name in names if options.only is None or name.startswith(options.only)]


def machine() -> Json:
    """What the figures were taken on."""
    cpu = platform.processor() or platform.machine()
    cpuinfo = pathlib.Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text().splitlines()
        cpu = next((x.partition(": ")[2] for x in lines if x.startswith("model name")), cpu)
    versions = {"Python": platform.python_version()}
    for name in LIBRARIES:
        versions[name] = importlib.metadata.version(name)
    return {
        "cpu": cpu,
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.release().partition('-')[0]}",
        "versions": versions,
    }


def profile(name: str, folder: pathlib.Path | None) -> None:
    """Where the time goes, by function."""
    if name in scheduler_shapes.SHAPES:
        work = scheduler_shapes.SHAPES[name].work(folder)
    else:
        work = scheduler_measuring.Work(scheduler_lists.objects(name, folder))
    scheduler_measuring.load_kernels()
    scheduler, _, _ = scheduler_measuring.prepared(work)
    profiler = cProfile.Profile()
    profiler.runcall(scheduler.run_until_idle)
    pstats.Stats(profiler).sort_stats("tottime").print_stats(40)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=pathlib.Path)
    parser.add_argument("--only", metavar="NAME", help="lists whose names begin like this")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--scaling", action="store_true", help="also the table of sizes")
    parser.add_argument("--large", action="store_true", help="with a million pods as well")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="keep the results")
    parser.add_argument("--markdown", action="store_true", help="print tables as in the page")
    parser.add_argument("--profile", metavar="NAME", help="show where the time goes in a list")
    options = parser.parse_args()
    if options.folder is not None and not (options.folder / "reference.json").is_file():
        parser.error(f"there are no recorded lists in {options.folder}: it has no reference.json")
    if options.folder is None and SHARED.exists():
        options.folder = SHARED
    names = [*scheduler_lists.NAMES, *scheduler_shapes.SHAPES, *scheduler_shapes.FAILING]
    prefix = options.profile or options.only
    if prefix and not any(name.startswith(prefix) for name in names):
        parser.error(f"no list is named {prefix}: there are {', '.join(names)}")
    if options.profile:
        profile(options.profile, options.folder)
        return
    is_all = options.only is None
    sections: dict[str, Callable[[], Any]] = {
        "machine": machine,
        "loading": lambda: loading() if is_all else {},
        "lists": lambda: list(lists(options)),
        "shapes": lambda: list(shapes(options)),
        "failing": lambda: list(failing(options)),
        "parts": lambda: parts(options) if is_all else [],
        "scaling": lambda: list(scaling(options)) if options.scaling or options.large else [],
    }
    results: Json = {}
    for name, measure in sections.items():
        results[name] = measure()
        if options.json is not None:
            options.json.write_text(json.dumps(results, indent=1) + "\n")
    if options.markdown:
        for name, text in scheduler_tables.sections(results).items():
            print(f"\n<!-- {name} -->\n{text}")


if __name__ == "__main__":
    main()
