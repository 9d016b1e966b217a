"""Backtests: what an autoscaler would have decided, had it seen what was measured elsewhere.

A metrics CSV becomes a `Series`; `hpa.run` and `vpa.run` show it to the real reconciler and
recommender, one sync after the other, and return a `BacktestOutcome`. There is no cluster, no
scheduler and no clock but the CSV's: the load is what was measured, whatever the autoscaler
decides. Reading files and printing do not belong here.
"""

from __future__ import annotations
