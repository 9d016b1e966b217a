"""Functions of instant vectors."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final

import numpy as np

from kubestage.golang.regexp import RegexpError
from kubestage.promql import frames, limits, matchers, quantiles, query_errors
from kubestage.promql.frames import Frame
from kubestage.promql.matchers import NAME
from kubestage.promql.series import labels_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kubestage.promql.frames import Flags, Floats
    from kubestage.promql.matchers import Matcher
    from kubestage.promql.series import Labels

_DIGITS: Final = re.compile(r"([0-9]+)", re.ASCII)

MATH: Final[dict[str, Callable[[Floats], Floats]]] = {
    "abs": np.abs,
    "acos": np.arccos,
    "acosh": np.arccosh,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atanh": np.arctanh,
    "ceil": np.ceil,
    "cos": np.cos,
    "cosh": np.cosh,
    "deg": np.rad2deg,
    "exp": np.exp,
    "floor": np.floor,
    "ln": np.log,
    "log10": np.log10,
    "log2": np.log2,
    "rad": np.deg2rad,
    "sgn": np.sign,
    "sin": np.sin,
    "sinh": np.sinh,
    "sqrt": np.sqrt,
    "tan": np.tan,
    "tanh": np.tanh,
}


def clamp(frame: Frame, low: Floats, high: Floats) -> Frame:
    """Values between two bounds; no series where the bounds are the wrong way round."""
    with np.errstate(invalid="ignore"):
        values = np.maximum(low, np.minimum(high, frame.values))
    clamped = frame.with_values(values)
    return clamped.where(clamped.present & ~(high < low))


def rounded(frame: Frame, nearest: Floats) -> Frame:
    """The nearest multiple, halves upwards."""
    with np.errstate(all="ignore"):
        inverse = 1.0 / nearest
        return frame.with_values(np.floor(frame.values * inverse + 0.5) / inverse)


def absent(frame: Frame, matchers: tuple[Matcher, ...]) -> Frame:
    """One, with the labels of the selector, where there is no series at all."""
    missing = ~frames.ever(frame.present)
    return Frame.of_rows([(_exact_labels(matchers), np.ones(frame.width), missing)], frame.width)


def _exact_labels(matchers: tuple[Matcher, ...]) -> Labels:
    """The labels that a selector matches exactly, and once."""
    exact: dict[str, str] = {}
    seen: set[str] = set()
    for matcher in matchers:
        if matcher.name == NAME:
            continue
        is_first = matcher.name not in seen
        seen.add(matcher.name)
        exact[matcher.name] = matcher.value if matcher.is_exact and is_first else ""
    return labels_of(exact)


def histogram_quantile(q: Floats, frame: Frame) -> Frame:
    """The quantile of every histogram, whose buckets are series that differ in `le`."""
    rows = Frame.of_rows(_quantile_rows(q, frame), frame.width)
    return rows.with_values(rows.values)


def _quantile_rows(q: Floats, frame: Frame) -> Iterator[tuple[Labels, Floats, Flags]]:
    groups: dict[Labels, list[tuple[float, int]]] = {}
    for row, labels in enumerate(frame.labels):
        bound = _bound(labels)
        if bound is not None:
            groups.setdefault(frames.without(labels, ("le",)), []).append((bound, row))
    for labels, buckets in groups.items():
        rows = [row for _, row in buckets]
        present, counts = frame.present[rows], frame.values[rows]
        complete, ever = np.logical_and.reduce(present, axis=0), frames.ever(present)
        values = np.zeros(frame.width)
        bounds = [bound for bound, _ in buckets]
        if complete.any():
            whole = counts[:, complete]
            values[complete] = quantiles.of_bucket_columns(q[complete], bounds, whole)
        for at in np.flatnonzero(ever & ~complete):
            counted = zip(bounds, counts[:, at].tolist(), present[:, at], strict=True)
            there = [(bound, count) for bound, count, is_there in counted if is_there]
            values[at] = quantiles.of_buckets(float(q[at]), there)
        yield labels, values, ever


def _bound(labels: Labels) -> float | None:
    """The upper bound of a bucket; None where that is no number."""
    try:
        return float(dict(labels)["le"])
    except (KeyError, ValueError):
        return None


def label_replace(frame: Frame, target: str, replacement: str, source: str, pattern: str) -> Frame:
    """Set a label to what a pattern finds in another."""
    try:
        regexp = matchers.compiled(pattern)
    except RegexpError as error:
        raise query_errors.QueryError(
            f"invalid regular expression in label_replace(): {pattern}"
        ) from error
    if not target.isidentifier():
        raise query_errors.QueryError(
            f"invalid destination label name in label_replace(): {target}"
        )
    labels = []
    made = limits.Budget()
    for each in frame.labels:
        wide = dict(each)
        match = regexp.full_match(wide.get(source, ""))
        if match is not None:
            wide[target] = match.expand(replacement, made.letters)
        labels.append(labels_of(wide))
    return frames.merged(labels, frame.values, frame.present)


def label_join(frame: Frame, target: str, separator: str, sources: list[str]) -> Frame:
    """Set a label to the values of others."""
    labels = []
    made = limits.Budget()
    for each in frame.labels:
        wide = dict(each)
        parts = [wide.get(source, "") for source in sources]
        made.letters(sum(map(len, parts)) + len(separator) * len(parts))
        wide[target] = separator.join(parts)
        labels.append(labels_of(wide))
    return frames.merged(labels, frame.values, frame.present)


def ordered(frame: Frame, *, is_descending: bool) -> Frame:
    """Series by the last of their values, NaN at the end."""
    sign = -1.0 if is_descending else 1.0
    keys = [
        (math.isnan(row[-1]), 0.0 if math.isnan(row[-1]) else sign * float(row[-1]), at)
        for at, row in enumerate(frame.values)
    ]
    return _taken(frame, [key[2] for key in sorted(keys)])


def ordered_by_labels(frame: Frame, names: list[str], *, is_descending: bool) -> Frame:
    """Series by the values of labels, numbers within them as numbers."""
    keys = []
    for at, labels in enumerate(frame.labels):
        values = dict(labels)
        keys.append(([_natural(values.get(name, "")) for name in names], labels, at))
    rows = [key[2] for key in sorted(keys, reverse=is_descending)]
    return _taken(frame, rows)


def _natural(text: str) -> list[tuple[int, int, str]]:
    """A key by which numbers within texts are ordered as numbers."""
    return [
        (0, int(part), part) if part.isdigit() else (1, 0, part)
        for part in _DIGITS.split(text)
        if part
    ]


def _taken(frame: Frame, rows: list[int]) -> Frame:
    labels = [frame.labels[row] for row in rows]
    return Frame(labels, frame.values[rows], frame.present[rows])


def scalar(frame: Frame) -> Floats:
    """The value of the only series there is, NaN where there is none or several."""
    single = frame.present.sum(axis=0) == 1
    values = np.where(frame.present, frame.values, 0.0).sum(axis=0)
    return np.where(single, values, math.nan)
