"""What a provider offers: instance types, in which zones and at which prices, and what fits them.

Here belong types and offerings as values, their order by price, and which of them meet
requirements. Where they come from belongs to the provider, and what is put on them to `scheduling`.
"""

from __future__ import annotations

from kubestage.controllers.karpenter.instance_types.types import InstanceType, Offering

__all__ = ["InstanceType", "Offering"]
