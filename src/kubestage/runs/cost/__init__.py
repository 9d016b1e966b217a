"""What a cluster costs and how well it is packed: ``kubestage cost``.

Here belongs opening the cluster (as rehearsals do), the nodes that could be removed, which the
scheduler's own filters decide, and the answer. The numbers are those of ``results.packing``. ::

    from kubestage.runs.cost import CostOptions, cost

    result = cost("cluster/", CostOptions(prices="aws-us-east-1"))
    print(result.answer)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage import lazy

if TYPE_CHECKING:
    from kubestage.runs.cost.evaluating import cost
    from kubestage.runs.cost.options import CostOptions
    from kubestage.runs.cost.removable import Removable
    from kubestage.runs.cost.result import CostResult

__all__ = ["CostOptions", "CostResult", "Removable", "cost"]

__getattr__ = lazy.exports(__name__)
