"""Sweeps: ``kubestage.sweep.sweep`` and what ``kubestage sweep`` calls."""

from __future__ import annotations

import pathlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import msgspec

import kubestage
from kubestage.errors import InputError
from kubestage.runs import interruption
from kubestage.runs.observer import SILENT
from kubestage.sweep import axes as axis_texts
from kubestage.sweep import keeping, store, sweep_file
from kubestage.sweep.base_run import Base
from kubestage.sweep.design import Design
from kubestage.sweep.driver import Driver
from kubestage.sweep.engines.local import LocalEngine
from kubestage.sweep.keeping import Contents
from kubestage.sweep.stopping import Stopping
from kubestage.sweep.sweep_file import SweepDefinition

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.runs.observer import Observer
    from kubestage.sweep.design import Method
    from kubestage.sweep.engines.engine import Engine
    from kubestage.sweep.rows import Scalar, Table

    Until = Callable[[Table], int]
    """How many more seeds are needed."""

ENGINES: Final = ("local", "ray")


class PreparedSweep(msgspec.Struct, frozen=True):
    """A sweep whose inputs are read and checked: it can start."""

    definition: SweepDefinition
    base: Base
    design: Design


def sweep(
    base: str | Sequence[str],
    axes: Mapping[str, str | Sequence[Scalar]] | None = None,
    *,
    seeds: str | int | Sequence[int] | None = None,
    design: Method | None = None,
    samples: int | None = None,
    sampling_seed: int = 0,
    out: str | pathlib.Path | None = None,
    resume: bool = False,
    jobs: int | None = None,
    engine: str = "local",
    address: str | None = None,
    until: Until | str | Sequence[str] = (),
    max_seeds: int = sweep_file.MAX_SEEDS,
    observer: Observer = SILENT,
) -> Table:
    """Run a command with every combination of parameters and every seed.

    ::

        table = sweep(
            "run shop/ --for 30m",
            {"hpa/web:spec.maxReplicas": [5, 10, 20], "nodes": "10..50*2"},
            seeds="1..20",
        )
        table.to_pandas()

    `base` is a command as it is typed after ``kubestage``, in words or as one text. `axes` are
    paths and their values. `until` are goals such as ``ci(cost)<2%``: seeds are added until they
    are met. It may be a function, too, which gets the table and says how many to add.
    """
    definition = SweepDefinition(
        command=base if isinstance(base, str) else list(base),
        vary={
            path: values if isinstance(values, str) else list(values)
            for path, values in (axes or {}).items()
        },
        seeds=list(seeds) if isinstance(seeds, Sequence) and not isinstance(seeds, str) else seeds,
        design=design,
        samples=samples,
        sampling_seed=sampling_seed,
        until=[until] if isinstance(until, str) else [] if callable(until) else list(until),
        max_seeds=max_seeds,
    )
    chosen = engine_of(engine, jobs, address)
    place = None if out is None else str(out)
    own = until if callable(until) else None
    return run(prepare(definition), chosen, place, resume=resume, until=own, observer=observer)


def engine_of(name: str, jobs: int | None, address: str | None = None) -> Engine:
    """The engine of a name."""
    if name == "ray":
        from kubestage.sweep.engines.ray_engine import RayEngine  # noqa: PLC0415 - an extra

        return RayEngine(address, jobs)
    if address is not None:
        raise InputError("is for Ray", path="--address", fix="add --engine ray, or leave it out")
    return LocalEngine(jobs)


def prepare(definition: SweepDefinition) -> PreparedSweep:
    """Read and check everything; InputError if something is wrong, before anything runs."""
    definition.check()
    base = Base.read(definition.words())
    found = tuple(
        axis_texts.make(path, _values(values), base) for path, values in definition.vary.items()
    )
    drawn = any(each.is_drawn for each in found)
    method: Method = definition.design or ("random" if drawn else "grid")  # type: ignore[assignment]
    design = Design(
        axes=found,
        seeds=definition.seed_numbers(base.seed),
        method=method,
        samples=definition.samples,
        sampling_seed=definition.sampling_seed,
    )
    design.check()
    axis_texts.check(found, base)
    return PreparedSweep(definition, base, design)


def _values(values: Scalar | list[Scalar]) -> str | list[Scalar]:
    """As an axis takes them: a text is read, and a number stands for itself."""
    return values if isinstance(values, str | list) else [values]


def run(
    prepared: PreparedSweep,
    engine: Engine,
    out: str | None = None,
    *,
    resume: bool = False,
    until: Until | None = None,
    observer: Observer = SILENT,
) -> Table:
    """Run a sweep; with `out` its rows are kept there as they come."""
    text = prepared.definition.text()
    contents = Contents("sweep", marker=store.FILE, file=sweep_file.NAME, text=text)
    about = _about(prepared, prepared.design)
    with keeping.kept(out, contents, about, resume=resume) as kept:
        driver = Driver(prepared.base, prepared.design, engine, kept, observer)
        report = lambda: _interrupt_report(driver, out)  # noqa: E731
        stopping = _stopping(prepared)
        with interruption.reporting(report):
            table = driver.run()
            more = until or stopping
            while more is not None and (number := more(table)) > 0:
                table = driver.more_seeds(number)
        for note in stopping.notes() if stopping is not None else ():
            observer.note(note)
        if kept is not None:
            assert out is not None
            with interruption.deferred(observer):
                looks = {"looks": str(stopping.looks)} if stopping is not None else {}
                kept.finish(table, {**_about(prepared, driver.design), **looks})
                keeping.write_parquet(table, pathlib.Path(out), observer)
    return table


def _stopping(prepared: PreparedSweep) -> Stopping | None:
    definition = prepared.definition
    if not definition.until:
        return None
    return Stopping(definition.goals(), len(prepared.design.seeds), definition.max_seeds)


def _about(prepared: PreparedSweep, design: Design) -> dict[str, str]:
    def text(value: object) -> str:
        return msgspec.json.encode(value).decode()

    return {
        "axes": text([each.path for each in design.axes]),
        "definition": text(prepared.definition),
        "seeds": text(design.seeds),
        "version": kubestage.__version__,
    }


def _interrupt_report(driver: Driver, out: str | None) -> str:
    done = f"{driver.done:,} of {driver.design.size:,} runs are done"
    if out is None:
        return f"{done}, and none is kept, as there is no --out"
    return f"{done} and kept; complete it with: kubestage sweep --resume --out {out}"
