"""The verdict on a change: ``kubestage check``.

Here belongs reading ``kubestage.toml``, both sides of a change (folders, commits, what kustomize
and Helm render), running them on copies of a cluster, and the rules. Documents of a verdict are
those of ``results.verdict``. ::

    from kubestage.runs.check import CheckOptions, check

    result = check(options=CheckOptions(base="before/", head="after/", files=("cluster/",)))
    print(result.answer)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage import lazy

if TYPE_CHECKING:
    from kubestage.results.verdict.verdict import Finding
    from kubestage.runs.check.checking import check
    from kubestage.runs.check.options import CheckOptions
    from kubestage.runs.check.result import CheckResult
    from kubestage.runs.check.side import Side

__all__ = ["CheckOptions", "CheckResult", "Finding", "Side", "check"]

__getattr__ = lazy.exports(__name__)
