"""A comparison of runs as a verdict: what got worse is a finding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.results.verdict.verdict import CheckedRule, Figure, Finding, Verdict
from kubestage.wording import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubestage.results.comparison.measures import Measure, Worse

TITLE: Final = "kubestage compare"


class MeasureWords:
    """How measures are called, and how their values are shown."""

    def __init__(
        self, label: Callable[[Measure], str], shown: Callable[[Measure, int], str]
    ) -> None:
        self.label = label
        self.shown = shown


def of(
    names: Sequence[str],
    known: Sequence[Measure],
    checked: Sequence[Measure],
    worse: Sequence[Worse],
    words: MeasureWords,
    notes: Sequence[str],
) -> Verdict:
    """All figures of runs; each `checked` measure is a rule, which runs `worse` in it break."""
    rules = [_rule(each, worse, names, words) for each in checked]
    return Verdict(
        title=TITLE,
        answer=_sentence(worse, names, checked),
        sides=list(names),
        rules=rules,
        figures=[_figure(each, words) for each in known],
        notes=list(notes),
    )


def _rule(
    measure: Measure, worse: Sequence[Worse], names: Sequence[str], words: MeasureWords
) -> CheckedRule:
    found = [
        Finding(
            rule=measure.key,
            subject=each.run,
            text=f"{words.label(measure)} is worse than in {names[0]}",
            before=words.shown(measure, 0),
            after=words.shown(measure, each.at),
        )
        for each in worse
        if each.measure.key == measure.key
    ]
    about = f"no run has {_opposite(measure)} {words.label(measure)} than {names[0]}"
    return CheckedRule(name=measure.key, about=about, findings=found)


def _opposite(measure: Measure) -> str:
    return "less" if measure.better == "more" else "more"


def _figure(measure: Measure, words: MeasureWords) -> Figure:
    numbers = range(len(measure.values))
    is_share = measure.is_rate and not measure.is_own
    return Figure(
        name=words.label(measure),
        values=list(measure.values),
        shown=[words.shown(measure, at) for at in numbers],
        better="more" if measure.better == "more" else "less" if measure.better else None,
        worse=[measure.is_worse(at) for at in numbers],
        shares=list(measure.values) if is_share else None,
    )


def _sentence(worse: Sequence[Worse], names: Sequence[str], checked: Sequence[Measure]) -> str:
    if not worse:
        number = plural(len(checked), "measure")
        return f"no run is worse than {names[0]} in {number}"
    runs = list(dict.fromkeys(each.run for each in worse))
    keys = list(dict.fromkeys(each.measure.key for each in worse))
    verb = "is" if len(runs) == 1 else "are"
    return f"{', '.join(runs)} {verb} worse than {names[0]}: {', '.join(keys)}"
