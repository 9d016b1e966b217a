"""``kubestage load`` in a sweep: one configuration of ClusterLoader2 on a stage."""

from __future__ import annotations

import difflib
import os
import re
from typing import TYPE_CHECKING, ClassVar, Final

import msgspec

from kubestage.errors import InputError
from kubestage.files import pinned
from kubestage.results.comparison import measures as comparison
from kubestage.runs.load import user_measures, varied_run
from kubestage.runs.load.options import LoadOptions
from kubestage.runs.load.vary import Vary
from kubestage.sweep.commands import words
from kubestage.sweep.commands.command import Draft, Measured
from kubestage.sweep.rows import MeasureInfo
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Self

    from kubestage.runs.load.varied_run import VariedRun
    from kubestage.sweep.rows import Number

_WORD: Final = re.compile(r"(?:\b|\$?\.)([A-Za-z]\w+)")
_MORE: Final[dict[str, tuple[tuple[str, ...], Any]]] = {
    "is_strict": (("--strict",), bool),
    "is_exec_allowed": (("--allow-exec",), bool),
}


class LoadCommand(msgspec.Struct, frozen=True):
    """A configuration that is run."""

    NAME: ClassVar[str] = "load"
    OUTPUTS: ClassVar[frozenset[str]] = frozenset()

    config: str
    options: LoadOptions = LoadOptions()

    @classmethod
    def parse(cls, rest: Sequence[str]) -> Self:
        """Read the words behind ``load``."""
        found = words.read(rest, LoadOptions, _MORE)
        if len(found.arguments) != 1:
            fix = "name one: sweep load config.yaml ..."
            raise InputError("a sweep of a load is about one configuration", fix=fix)
        options = words.made(LoadOptions, found.values)
        # Only parameters: nothing else of the environment may have an effect.
        environment = {name: value for name, value in os.environ.items() if name.startswith("CL2_")}
        options = msgspec.structs.replace(options, environment=environment)
        options.check()
        if options.is_real:
            fix = "leave out --kubeconfig, --context and --run-from-cluster"
            raise InputError("a sweep runs on stages, not on a real cluster", fix=fix)
        return cls(found.arguments[0], options)

    def words(self) -> list[str]:
        """The command as it is typed."""
        switches = [names[0] for field, (names, _) in _MORE.items() if getattr(self.options, field)]
        return [self.NAME, self.config, *words.of(self.options), *switches]

    def vary(self, path: str) -> Vary | None:
        """A parameter of templates, or any number of the configuration, as in find-limit."""
        found = Vary(path)
        found.check()
        return found

    def check(self, draft: Draft) -> None:
        """Render and check the configuration, and the manifests of its stage."""
        options = self._options(draft)
        varied_run.check(self.config, draft.changes, options)
        for name, _ in options.varied:
            _check_mentioned(name)

    def measure(self, draft: Draft) -> Measured:
        """Run it."""
        return _measured(varied_run.run(self.config, draft.changes, self._options(draft)))

    @staticmethod
    def _options(draft: Draft) -> LoadOptions:
        assert isinstance(draft.options, LoadOptions)
        return draft.options


def _check_mentioned(name: str) -> None:
    """Refuse a parameter that no file of the load mentions: it would have no effect."""
    files = pinned.current()
    if files is None:
        return
    known = {word for text in files.texts() for word in _WORD.findall(text)}
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        problem = f"params.{name}: no template mentions it"
        raise InputError(problem, path="--vary", fix=f"did you mean {near[0]}?" if near else None)


def _measured(run: VariedRun) -> Measured:
    """Whether it passed, how long it took, and the value of each verdict."""
    result = run.result
    values: dict[str, Number | None] = {
        "passed": int(result.passed),
        "seconds": result.took_ns / SECOND_NS,
        "calls": len(result.calls),
        "errors": len(result.errors),
    }
    infos = [
        MeasureInfo("passed", "more"),
        MeasureInfo("seconds", "less", "s"),
        MeasureInfo("calls"),
        MeasureInfo("errors", "less"),
    ]
    for measured, verdict in result.verdicts():
        key = f"{measured.identifier or measured.method}.{verdict.name}".replace(" ", "_")
        if key not in values:
            values[key] = verdict.value
            better = "less" if verdict.is_upper else "more"
            infos.append(MeasureInfo(key, better, verdict.unit or None))
    for each in comparison.of_user([user_measures.of_result(result)]):
        values[each.key] = each.values[0]
        infos.append(MeasureInfo(each.key, each.better, each.unit))
    if run.cost is not None:
        values["cost"] = run.cost.cost
        infos.append(MeasureInfo("cost", "less", run.cost.currency))
    return Measured(values, tuple(infos))
