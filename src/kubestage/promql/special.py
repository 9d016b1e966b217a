"""Functions with rules of their own for their arguments."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from kubestage.promql import dates, functions, nodes, signatures
from kubestage.promql.frames import Frame

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.promql.evaluation import Evaluation, Value
    from kubestage.promql.frames import Floats
    from kubestage.promql.matchers import Matcher
    from kubestage.promql.nodes import Node

    Arguments = tuple[Node, ...]


def call(evaluation: Evaluation, name: str, arguments: Arguments) -> Value:
    """The result of a function."""
    if name in signatures.DATES:
        now = single(evaluation.times / 1000)
        frame = evaluation.vector(arguments[0]) if arguments else now
        return frame.with_values(dates.part(name, frame.values))
    return _SPECIAL[name](evaluation, arguments)


def single(values: Floats) -> Frame:
    """A vector of one series without labels."""
    return Frame([()], values.reshape(1, -1), np.ones((1, len(values)), np.bool_))


def matchers(node: Node) -> tuple[Matcher, ...]:
    """The matchers of a plain selector; none of anything else."""
    if isinstance(node, nodes.Range):
        node = node.selector
    return node.matchers if isinstance(node, nodes.Selector) else ()


def _time(evaluation: Evaluation, _: Arguments) -> Floats:
    return evaluation.times / 1000


def _pi(evaluation: Evaluation, _: Arguments) -> Floats:
    return np.full(evaluation.width, math.pi)


def _to_vector(evaluation: Evaluation, arguments: Arguments) -> Frame:
    return single(evaluation.scalar(arguments[0]))


def _to_scalar(evaluation: Evaluation, arguments: Arguments) -> Floats:
    return functions.scalar(evaluation.vector(arguments[0]))


def _timestamp(evaluation: Evaluation, arguments: Arguments) -> Frame:
    node = arguments[0]
    while isinstance(node, nodes.Group):
        node = node.inner
    if isinstance(node, nodes.Selector):
        frame = evaluation.selected(node, is_time=True)
        return frame.with_values(frame.values)
    frame = evaluation.vector(node)
    return frame.with_values(np.broadcast_to(evaluation.times / 1000, frame.values.shape))


def _absent(evaluation: Evaluation, arguments: Arguments) -> Frame:
    return functions.absent(evaluation.vector(arguments[0]), matchers(arguments[0]))


def _clamp(evaluation: Evaluation, arguments: Arguments) -> Frame:
    vector, low, high = arguments
    return functions.clamp(
        evaluation.vector(vector), evaluation.scalar(low), evaluation.scalar(high)
    )


def _clamp_min(evaluation: Evaluation, arguments: Arguments) -> Frame:
    frame = evaluation.vector(arguments[0])
    return frame.with_values(np.maximum(evaluation.scalar(arguments[1]), frame.values))


def _clamp_max(evaluation: Evaluation, arguments: Arguments) -> Frame:
    frame = evaluation.vector(arguments[0])
    return frame.with_values(np.minimum(evaluation.scalar(arguments[1]), frame.values))


def _round(evaluation: Evaluation, arguments: Arguments) -> Frame:
    nearest = evaluation.scalar(arguments[1]) if len(arguments) > 1 else np.ones(evaluation.width)
    return functions.rounded(evaluation.vector(arguments[0]), nearest)


def _histogram_quantile(evaluation: Evaluation, arguments: Arguments) -> Frame:
    return functions.histogram_quantile(
        evaluation.scalar(arguments[0]), evaluation.vector(arguments[1])
    )


def _label_replace(evaluation: Evaluation, arguments: Arguments) -> Frame:
    texts = [evaluation.text(each) for each in arguments[1:]]
    return functions.label_replace(evaluation.vector(arguments[0]), *texts)


def _label_join(evaluation: Evaluation, arguments: Arguments) -> Frame:
    target, separator, *sources = [evaluation.text(each) for each in arguments[1:]]
    return functions.label_join(evaluation.vector(arguments[0]), target, separator, sources)


def _sort(evaluation: Evaluation, arguments: Arguments) -> Frame:
    return functions.ordered(evaluation.vector(arguments[0]), is_descending=False)


def _sort_desc(evaluation: Evaluation, arguments: Arguments) -> Frame:
    return functions.ordered(evaluation.vector(arguments[0]), is_descending=True)


def _sort_by_label(evaluation: Evaluation, arguments: Arguments) -> Frame:
    names = [evaluation.text(each) for each in arguments[1:]]
    frame = evaluation.vector(arguments[0])
    return functions.ordered_by_labels(frame, names, is_descending=False)


def _sort_by_label_desc(evaluation: Evaluation, arguments: Arguments) -> Frame:
    names = [evaluation.text(each) for each in arguments[1:]]
    frame = evaluation.vector(arguments[0])
    return functions.ordered_by_labels(frame, names, is_descending=True)


_SPECIAL: Final[dict[str, Callable[[Evaluation, Arguments], Value]]] = {
    "absent": _absent,
    "clamp": _clamp,
    "clamp_max": _clamp_max,
    "clamp_min": _clamp_min,
    "histogram_quantile": _histogram_quantile,
    "label_join": _label_join,
    "label_replace": _label_replace,
    "pi": _pi,
    "round": _round,
    "scalar": _to_scalar,
    "sort": _sort,
    "sort_by_label": _sort_by_label,
    "sort_by_label_desc": _sort_by_label_desc,
    "sort_desc": _sort_desc,
    "time": _time,
    "timestamp": _timestamp,
    "vector": _to_vector,
}
