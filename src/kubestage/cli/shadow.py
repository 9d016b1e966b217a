"""``kubestage shadow``: the live twin of a cluster, and how often it is right."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Annotated, Final

from kubestage import lazy
from kubestage.cli import option_objects, printing, screen
from kubestage.errors import InputError
from kubestage.runs.shadow_options import ShadowOptions

with lazy.imports():
    from kubestage.cli import shadow_view
    from kubestage.runs import shadowing
    from kubestage.runs.load import interrupts

if TYPE_CHECKING:
    from kubestage.runs.shadowing.shadow import Shadow

EPILOG: Final = """
[bold]Examples[/bold]

kubestage shadow --kubeconfig ~/.kube/config --for 1h

kubestage shadow --config scheduler.yaml --out predictions.jsonl

kubestage shadow --ask 'outage zone/b' --ask 'grow all=2x' --every 10m

Each pod without a node is predicted on the state of the cluster: the nodes that are equally good.
When it gets a node, that is a hit or a miss, and a miss is explained. HPA steps are predicted from
the usage of pods, new nodes from the pools in which pods would fit that fit nowhere.

On a terminal, type a question and press Enter: outage zone/b, drain node-1, grow deploy/web=2x. It
is answered by a rehearsal on a copy of the present state.

It lists and watches, and changes nothing: the role of `kubestage record --print-rbac` suffices.

Exit code: 0, also after Ctrl-C; 2 if the cluster cannot be followed.
"""


@option_objects.command
def shadow(
    options: ShadowOptions,
    output: Annotated[str, option_objects.output_flag("table", "json")] = "table",
) -> int:
    """Predict what a live cluster does, and count how often that is right."""
    with shadow_view.ShadowObserver(shows_all=output == "table") as observer:
        twin = shadowing.Shadow(options, observer=observer, on_report=observer.on_report)
        if sys.stdin is not None and sys.stdin.isatty():
            threading.Thread(target=_read_questions, args=(twin,), daemon=True).start()
        handled = interrupts.Interrupts(observer.on_interrupt)
        with handled.handled(), handled.ending(twin.stop):
            result = twin.run()
    if output == "json":
        screen.write_data(printing.as_json(shadow_view.document(result)))
    else:
        screen.write(shadow_view.text(result))
    return 0


def _read_questions(twin: Shadow) -> None:
    for line in sys.stdin:
        if line.strip():
            try:
                twin.ask(line.strip())
            except InputError as error:
                screen.note(f"{error}")
