"""Play recorded scenarios and print where they differ: tools/replay.py FILE [NAME-OR-TOPIC ...].

A name may be the beginning of one. With --trace, differences of the trace are printed too.
"""

from __future__ import annotations

import pathlib
import sys

from kubestage import replay


def main(arguments: list[str]) -> int:
    """Replay the selected scenarios; 1 if something differs."""
    with_trace = "--trace" in arguments
    file, *selected = [each for each in arguments if not each.startswith("--")]
    scenarios = [
        each
        for each in replay.load(pathlib.Path(file))
        if not selected or each.topic in selected or each.name.startswith(tuple(selected))
    ]
    failed = 0
    for scenario in scenarios:
        result = replay.play(scenario)
        failed += not result.is_same
        shown = [*result.differences, *(result.trace_differences if with_trace else ())]
        traced = f", trace {len(result.trace_differences)}" if result.trace_differences else ""
        print(f"{scenario.name} ({scenario.topic}): {len(result.differences)} differences{traced}")
        for each in shown:
            print(f"    step {each.step} {each.kind} {each.path}")
            print(f"        expected {each.expected!r}")
            print(f"        got      {each.actual!r}")
    print(f"{len(scenarios) - failed} of {len(scenarios)} as recorded")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
