"""Checks a change: both sides are run, and rules decide."""

from __future__ import annotations

import os
import pathlib
import tempfile
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import InputError
from kubestage.results.verdict.verdict import CheckedRule, Finding, Verdict
from kubestage.runs.check import configuration, figures, sides, states
from kubestage.runs.check.configuration import FILE_NAME, Configuration
from kubestage.runs.check.options import CheckOptions
from kubestage.runs.check.result import CheckResult
from kubestage.runs.check.rules import table
from kubestage.runs.check.rules.rule import NotApplicable, RuleContext
from kubestage.runs.inputs import node_shape
from kubestage.runs.observer import SILENT
from kubestage.stage import few_collections
from kubestage.stage.collections import RARELY
from kubestage.wording import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.runs.check.rules.rule import Rule
    from kubestage.runs.check.states import BothSides
    from kubestage.runs.observer import Observer

TITLE: Final = "kubestage check"
_DEFAULT: Final = CheckOptions()


@few_collections(RARELY)
def check(
    file: str | os.PathLike[str] | None = None,
    options: CheckOptions = _DEFAULT,
    *,
    observer: Observer = SILENT,
) -> CheckResult:
    """The verdict on a change: is anything worse than before?

    `file` is a ``kubestage.toml``; without one, that of the current folder if there is any.
    Options have precedence over it.
    """
    place = _file(file)
    folder = pathlib.Path() if place is None else place.parent
    settings = _settings(place, options, folder)
    rules = _rules(settings, options, folder, place)
    with tempfile.TemporaryDirectory(prefix="kubestage-check-") as temporary:
        reader = sides.SideReader(
            folder, settings.change, settings.cluster.files, pathlib.Path(temporary)
        )
        head = reader.read(settings.change.head, sides.HEAD)
        base = None
        if settings.change.base is not None:
            base = reader.read(settings.change.base, sides.BASE)
        notes = [note for each in (base, head) if each is not None for note in each.notes]
        both = states.build(
            settings.cluster, base, head, rollout=settings.change.rollout, observer=observer
        )
        return CheckResult(verdict=_verdict(both, rules, settings.strict, notes, options, observer))


def _verdict(
    both: BothSides,
    rules: Sequence[Rule[Any]],
    is_strict: bool,
    notes: Sequence[str],
    options: CheckOptions,
    observer: Observer,
) -> Verdict:
    context = RuleContext(both.base, both.head, options.jobs, observer)
    checked = []
    with observer.progress("checking rules", len(rules), noticeable=2) as advance:
        for at, rule in enumerate(rules):
            advance(at, f"rule {rule.title}")
            checked.append(_checked(rule, context, is_strict))
    shown = [each for each in (both.base, both.head) if each is not None]
    return Verdict(
        title=TITLE,
        answer=_sentence(checked),
        sides=[each.name for each in shown],
        rules=checked,
        figures=figures.of(shown, observer),
        histograms=figures.histograms(shown),
        notes=[*notes, *both.notes],
    )


def _checked(rule: Rule[Any], context: RuleContext, is_strict: bool) -> CheckedRule:
    title = rule.title
    try:
        found: list[Finding] = list(rule.check(context))
    except NotApplicable as reason:
        return CheckedRule(name=title, about=rule.about, skipped=str(reason))
    return CheckedRule(name=title, about=rule.about, findings=found, is_strict=is_strict)


def _sentence(rules: Sequence[CheckedRule]) -> str:
    failed = [each for each in rules if each.state == "failed"]
    warnings = sum(
        one.is_new and one not in each.failures for each in rules for one in each.findings
    )
    more = f"; {plural(warnings, 'warning')}" if warnings else ""
    if failed:
        number = sum(len(each.failures) for each in failed)
        broken = "rule is" if len(failed) == 1 else "rules are"
        names = ", ".join(each.name for each in failed)
        return f"worse: {len(failed)} {broken} broken ({names}), {plural(number, 'finding')}{more}"
    passed = sum(each.state in ("passed", "warning") for each in rules)
    holds = f"{plural(passed, 'rule')} {'holds' if passed == 1 else 'hold'}"
    return f"{'no rule is broken' if warnings else 'nothing is worse'}: {holds}{more}"


def _file(named: str | os.PathLike[str] | None) -> pathlib.Path | None:
    """The configuration that is named, or that of the current folder; None if there is none."""
    if named is None:
        here = pathlib.Path(FILE_NAME)
        return here if here.is_file() else None
    place = pathlib.Path(named)
    return place / FILE_NAME if place.is_dir() else place


def _settings(
    place: pathlib.Path | None, options: CheckOptions, folder: pathlib.Path
) -> Configuration:
    """The configuration, with options put in."""
    settings = Configuration() if place is None else configuration.read(place)
    settings = _overridden(_relative_to(settings, folder), options, folder)
    if place is None and settings.change.head is None and settings.change.base is None:
        fix = f"write a {FILE_NAME} (docs/check.md), or name both sides: --base DIR --head DIR"
        raise InputError("no change is named", fix=fix)
    return settings


def _relative_to(settings: Configuration, folder: pathlib.Path) -> Configuration:
    """Paths of the file as they are from here."""

    def placed(name: str) -> str:
        return os.path.normpath(folder / name)

    cluster = settings.cluster
    prices = cluster.prices
    if prices is not None and (folder / prices).exists():
        prices = placed(prices)
    cluster = msgspec.structs.replace(
        cluster,
        files=[placed(each) for each in cluster.files],
        prices=prices,
        scheduler=None if cluster.scheduler is None else placed(cluster.scheduler),
        plugins=[placed(each) if ".py:" in each else each for each in cluster.plugins],
    )
    return msgspec.structs.replace(settings, cluster=cluster)


def _overridden(
    settings: Configuration, options: CheckOptions, folder: pathlib.Path
) -> Configuration:
    cluster, change = settings.cluster, settings.change
    if options.files:
        cluster = msgspec.structs.replace(cluster, files=list(options.files))
    if options.nodes is not None:
        cluster = msgspec.structs.replace(cluster, nodes=options.nodes)
    if options.node != node_shape.DEFAULT:
        cluster = msgspec.structs.replace(cluster, node=options.node)
    if options.prices is not None:
        cluster = msgspec.structs.replace(cluster, prices=options.prices)
    change = msgspec.structs.replace(
        change,
        base=_from(folder, options.base) if options.base is not None else change.base,
        head=_from(folder, options.head) if options.head is not None else change.head,
        paths=list(options.paths) or change.paths,
    )
    return msgspec.structs.replace(
        settings, cluster=cluster, change=change, strict=settings.strict or options.strict
    )


def _from(folder: pathlib.Path, name: str) -> str:
    """A folder that was named from here, as it is named from another one; commits stay."""
    return os.path.relpath(name, folder) if os.path.exists(name) else name


def _rules(
    settings: Configuration,
    options: CheckOptions,
    folder: pathlib.Path,
    place: pathlib.Path | None,
) -> list[Rule[Any]]:
    words = [
        os.path.relpath(each, folder) if ".py:" in each and "=" not in each else each
        for each in options.rules
    ]
    try:
        found = table.read(table.changed(settings.rules, words), str(folder))
    except InputError as error:
        if place is not None and error.file is None and error.path != "--rule":
            error.file = str(place)
            error.line = configuration.line_of(place.read_text(encoding="utf-8"), error.path)
        raise
    if not found:
        raise InputError("no rule is left", fix="leave one on, or name one: --rule pending")
    return found
