"""Frozen views: what logic reads of an object, parsed once per version.

Here belongs the read side of an object that the scheduler and the controllers look at often:
numbers instead of quantities, compiled selectors, tuples instead of lists. A view never changes;
a new version of the object gets a new view. Here does not belong any decision.
"""

from kubestage.objects.views.node import NodeView
from kubestage.objects.views.pod import PodView

__all__ = ["NodeView", "PodView"]
