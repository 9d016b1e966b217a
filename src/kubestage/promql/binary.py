"""Operators between two sides: arithmetic, comparisons and sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kubestage.promql import frames, query_errors, types
from kubestage.promql.frames import Frame
from kubestage.promql.matchers import NAME
from kubestage.promql.series import labels_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.promql.frames import Flags, Floats
    from kubestage.promql.nodes import Binary, Matching
    from kubestage.promql.series import Labels

_ARITHMETIC: Final[dict[str, Callable[[Floats, Floats], Floats]]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "%": np.fmod,
    "^": np.power,
    "atan2": np.arctan2,
}
_COMPARING: Final[dict[str, Callable[[Floats, Floats], Flags]]] = {
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}


def combine(node: Binary, left: Floats | Frame, right: Floats | Frame) -> Floats | Frame:
    """The result of an operator; a scalar has a value per time."""
    with np.errstate(all="ignore"):
        if isinstance(left, Frame) and isinstance(right, Frame):
            if node.operator in types.SET_OPERATORS:
                return _of_sets(node, left, right)
            return _of_vectors(node, left, right)
        if isinstance(left, Frame):
            assert not isinstance(right, Frame)
            return _with_scalar(node, left, left.values, np.broadcast_to(right, left.values.shape))
        if isinstance(right, Frame):
            wide = np.broadcast_to(left, right.values.shape)
            return _with_scalar(node, right, wide, right.values)
        return _plain(node.operator, left, right)


def _plain(operator: str, left: Floats, right: Floats) -> Floats:
    if operator in _ARITHMETIC:
        return _ARITHMETIC[operator](left, right)
    return _COMPARING[operator](left, right).astype(np.float64)


def _with_scalar(node: Binary, frame: Frame, left: Floats, right: Floats) -> Frame:
    if node.operator in _ARITHMETIC or node.is_bool:
        return frame.with_values(_plain(node.operator, left, right))
    return frame.where(frame.present & _COMPARING[node.operator](left, right))


def signature(labels: Labels, matching: Matching) -> Labels:
    """The labels by which a series finds its partner."""
    if matching.is_on:
        return frames.only(labels, matching.labels)
    return frames.without(labels, (NAME, *matching.labels))


def _of_sets(node: Binary, left: Frame, right: Frame) -> Frame:
    there = _presence(right, node.matching)
    nowhere = np.zeros(left.width, np.bool_)
    if node.operator != "or":
        expected = node.operator == "and"
        mask = np.array(
            [
                there.get(signature(labels, node.matching), nowhere) == expected
                for labels in left.labels
            ],
            np.bool_,
        ).reshape(left.present.shape)
        return left.where(left.present & mask)
    already = _presence(left, node.matching)
    added = right.present & ~np.array(
        [already.get(signature(labels, node.matching), nowhere) for labels in right.labels],
        np.bool_,
    ).reshape(right.present.shape)
    rest = right.where(added)
    return frames.merged(
        left.labels + rest.labels,
        np.concatenate([left.values, rest.values]),
        np.concatenate([left.present, rest.present]),
    )


def _presence(frame: Frame, matching: Matching) -> dict[Labels, Flags]:
    """For each signature when any series has it."""
    found: dict[Labels, Flags] = {}
    for labels, present in zip(frame.labels, frame.present, strict=True):
        key = signature(labels, matching)
        before = found.get(key)
        found[key] = present if before is None else before | present
    return found


def _of_vectors(node: Binary, left: Frame, right: Frame) -> Frame:
    if not left.labels or not right.labels:
        return Frame.empty(left.width)
    is_swapped = node.matching.many == "right"
    many, one = (right, left) if is_swapped else (left, right)
    partners = _one_side(node, one, "left" if is_swapped else "right")
    taken: dict[Labels, Flags] = {}
    rows: list[tuple[Labels, Floats, Flags]] = []
    for row, labels in enumerate(many.labels):
        key = signature(labels, node.matching)
        for partner in partners.get(key, ()):
            both = many.present[row] & one.present[partner]
            if not both.any():
                continue
            result = _result_labels(node, labels, one.labels[partner])
            _claim(node, taken, key, result, both)
            own, other = many.values[row], one.values[partner]
            first, second = (other, own) if is_swapped else (own, other)
            rows.append(_computed(node, result, first, second, both))
    remaining = [row for row in rows if row[2].any()]
    if not remaining:
        return Frame.empty(left.width)
    results, values, present = zip(*remaining, strict=True)
    return frames.merged(list(results), np.array(values), np.array(present))


def _one_side(node: Binary, one: Frame, side: str) -> dict[Labels, list[int]]:
    """Rows by signature; at no time may two have the same."""
    found: dict[Labels, list[int]] = {}
    for row, labels in enumerate(one.labels):
        key = signature(labels, node.matching)
        others = found.setdefault(key, [])
        for other in others:
            if (one.present[row] & one.present[other]).any():
                pair = sorted(
                    (frames.format_labels(labels), frames.format_labels(one.labels[other]))
                )
                raise query_errors.QueryError(
                    f"found duplicate series for the match group {frames.format_labels(key)} "
                    f"on the {side} hand-side of the operation: [{', '.join(pair)}];many-to-many "
                    "matching not allowed: matching labels must be unique on one side"
                )
        others.append(row)
    return found


def _claim(
    node: Binary, taken: dict[Labels, Flags], key: Labels, result: Labels, both: Flags
) -> None:
    """Refuse a second match of the same labels at the same time."""
    slot = key if not node.matching.many else (*key, ("", ""), *result)
    before = taken.get(slot)
    if before is not None and (before & both).any():
        raise query_errors.QueryError(
            "multiple matches for labels: grouping labels must ensure unique matches"
            if node.matching.many
            else "multiple matches for labels: many-to-one matching must be explicit "
            "(group_left/group_right)"
        )
    taken[slot] = both if before is None else before | both


def _computed(
    node: Binary, labels: Labels, left: Floats, right: Floats, both: Flags
) -> tuple[Labels, Floats, Flags]:
    if node.operator in _ARITHMETIC or node.is_bool:
        return labels, _plain(node.operator, left, right), both
    remaining = both & _COMPARING[node.operator](left, right)
    # A comparison without ``bool`` has the value of the left side.
    return labels, left, remaining


def _result_labels(node: Binary, many: Labels, one: Labels) -> Labels:
    matching = node.matching
    is_named = node.operator in types.COMPARISONS and not node.is_bool
    labels = many if is_named else frames.without_name(many)
    if not matching.many:
        if matching.is_on:
            return frames.only(labels, matching.labels)
        return frames.without(labels, matching.labels)
    if not matching.include:
        return labels
    wide, other = dict(labels), dict(one)
    for name in matching.include:
        wide[name] = other.get(name, "")
    return labels_of(wide)
