"""What the commands do, as functions with typed options and typed results.

Here belongs reading the user's input, running it, and what is found out about runs. A function
here prints nothing and knows no command line: a notebook, a test and ``cli`` call it alike. Notes
and progress go to an `Observer`.

The functions themselves are names of `kubestage`; here are their options and results::

    from kubestage import run
    from kubestage.runs import RunOptions

    result = run("cluster/", RunOptions(nodes=5, seed=1))
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage import lazy

if TYPE_CHECKING:
    from kubestage.runs.analyze import AnalyzedTable
    from kubestage.runs.analyze_options import AnalyzeOptions
    from kubestage.runs.backtest import BacktestOptions, BacktestResult
    from kubestage.runs.compare.lives import ComparedLives
    from kubestage.runs.compare.result import ComparedRuns
    from kubestage.runs.compare_options import CompareOptions
    from kubestage.runs.contents import GetResult, get
    from kubestage.runs.explain.explanation import Explanation
    from kubestage.runs.explain_options import ExplainOptions
    from kubestage.runs.get_options import GetOptions
    from kubestage.runs.load.limit_options import LimitOptions
    from kubestage.runs.load.limit_result import LimitResult
    from kubestage.runs.load.observer import LoadObserver
    from kubestage.runs.load.options import LoadOptions
    from kubestage.runs.load.planning import plan_load
    from kubestage.runs.load.results import LoadResults
    from kubestage.runs.observer import Observer
    from kubestage.runs.pod_explanation import PodExplanation
    from kubestage.runs.run_options import RunOptions
    from kubestage.runs.run_result import (
        LivingResult,
        ManifestsResult,
        RunResult,
        ScenariosResult,
    )
    from kubestage.runs.validation import ValidationResult
    from kubestage.runs.verify import VerifyResult

__all__ = [
    "AnalyzeOptions",
    "AnalyzedTable",
    "BacktestOptions",
    "BacktestResult",
    "CompareOptions",
    "ComparedLives",
    "ComparedRuns",
    "ExplainOptions",
    "Explanation",
    "GetOptions",
    "GetResult",
    "LimitOptions",
    "LimitResult",
    "LivingResult",
    "LoadObserver",
    "LoadOptions",
    "LoadResults",
    "ManifestsResult",
    "Observer",
    "PodExplanation",
    "RunOptions",
    "RunResult",
    "ScenariosResult",
    "ValidationResult",
    "VerifyResult",
    "get",
    "plan_load",
]

__getattr__ = lazy.exports(__name__)
