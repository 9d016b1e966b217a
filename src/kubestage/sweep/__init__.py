"""Many runs: what they vary, who computes them, and what their results say together.

A run is a value: its inputs, a seed and the version give the same measures everywhere. So a sweep
is a list of tasks, engines compute them in any order and on any machine, and every row has a key
made of the content of its inputs: nothing is computed twice. What one run does is part of
`runs`. ::

    from kubestage.sweep import sweep

    table = sweep("run shop/ --for 30m", {"hpa/web:spec.maxReplicas": "5..20/5"}, seeds="1..20")
    table.to_pandas()
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage import lazy

if TYPE_CHECKING:
    from kubestage.sweep.base_run import Base
    from kubestage.sweep.rows import MeasureInfo, Row, Setting, Table, Task
    from kubestage.sweep.sweeping import sweep

__all__ = ["Base", "MeasureInfo", "Row", "Setting", "Table", "Task", "sweep"]

__getattr__ = lazy.exports(__name__)
