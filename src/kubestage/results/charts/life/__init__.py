"""Charts of a living run, each defined once, over time instead of steps.

Belongs here: how the tables of a ``Life`` look. A chart of something that was not recorded is None.
"""

from __future__ import annotations
