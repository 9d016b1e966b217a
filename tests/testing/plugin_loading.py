"""Has pytest load the plugin exactly once, whether an installed package offers it or not."""

from __future__ import annotations

import importlib.metadata

MODULE = "kubestage.testing.pytest_plugin"
GROUP = "pytest11"


def loading() -> list[str]:
    """Options for pytest; none where an installed package offers the plugin already."""
    offered = importlib.metadata.entry_points(group=GROUP)
    return [] if any(each.value == MODULE for each in offered) else ["-p", MODULE]
