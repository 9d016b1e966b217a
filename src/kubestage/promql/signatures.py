"""All functions with the types of their arguments and results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from kubestage.promql.nodes import ValueType


class Signature(msgspec.Struct, frozen=True):
    """The types of a function's arguments; the last `optional` of them may be left out.

    With `is_open`, the last argument may be repeated.
    """

    takes: tuple[ValueType, ...]
    returns: ValueType = "vector"
    optional: int = 0
    is_open: bool = False


_PLAIN: Final = Signature(("vector",))
_OVER_TIME: Final = Signature(("matrix",))
_DATE: Final = Signature(("vector",), optional=1)
_WITH_SCALAR: Final = Signature(("vector", "scalar"))

MATH: Final = (
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "deg", "exp",
    "floor", "ln", "log10", "log2", "rad", "sgn", "sin", "sinh", "sqrt", "tan", "tanh",
)  # fmt: skip
OVER_TIME: Final = (
    "avg_over_time", "changes", "count_over_time", "delta", "deriv", "first_over_time", "idelta",
    "increase", "irate", "last_over_time", "mad_over_time", "max_over_time", "min_over_time",
    "present_over_time", "rate", "resets", "stddev_over_time", "stdvar_over_time", "sum_over_time",
    "ts_of_first_over_time", "ts_of_last_over_time", "ts_of_max_over_time", "ts_of_min_over_time",
)  # fmt: skip
DATES: Final = (
    "day_of_month", "day_of_week", "day_of_year", "days_in_month", "hour", "minute", "month",
    "year",
)  # fmt: skip

SIGNATURES: Final[dict[str, Signature]] = {
    **dict.fromkeys(MATH, _PLAIN),
    **dict.fromkeys(OVER_TIME, _OVER_TIME),
    **dict.fromkeys(DATES, _DATE),
    "absent": _PLAIN,
    "absent_over_time": _OVER_TIME,
    "clamp": Signature(("vector", "scalar", "scalar")),
    "clamp_max": _WITH_SCALAR,
    "clamp_min": _WITH_SCALAR,
    "double_exponential_smoothing": Signature(("matrix", "scalar", "scalar")),
    "histogram_quantile": Signature(("scalar", "vector")),
    "label_join": Signature(("vector", "string", "string", "string"), optional=1, is_open=True),
    "label_replace": Signature(("vector", "string", "string", "string", "string")),
    "pi": Signature((), "scalar"),
    "predict_linear": Signature(("matrix", "scalar")),
    "quantile_over_time": Signature(("scalar", "matrix")),
    "round": Signature(("vector", "scalar"), optional=1),
    "scalar": Signature(("vector",), "scalar"),
    "sort": _PLAIN,
    "sort_by_label": Signature(("vector", "string"), optional=1, is_open=True),
    "sort_by_label_desc": Signature(("vector", "string"), optional=1, is_open=True),
    "sort_desc": _PLAIN,
    "time": Signature((), "scalar"),
    "timestamp": _PLAIN,
    "vector": Signature(("scalar",)),
}

AGGREGATIONS: Final = (
    "sum", "min", "max", "avg", "count", "group", "stddev", "stdvar", "topk", "bottomk",
    "quantile", "count_values",
)  # fmt: skip
WITH_PARAMETER: Final = ("topk", "bottomk", "quantile", "count_values")
