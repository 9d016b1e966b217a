"""What is required of a node's labels: sets of values, bounds, and the algebra of both.

Here belong single requirements, sets of them, and how they are read from labels, selectors and
pods. Whether an instance type meets them belongs to `instance_types`.
"""

from __future__ import annotations

from kubestage.controllers.karpenter.requirements.requirement import Requirement
from kubestage.controllers.karpenter.requirements.requirements import Requirements

__all__ = ["Requirement", "Requirements"]
