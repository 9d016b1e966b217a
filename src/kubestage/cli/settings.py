"""``kubestage settings``: what ``--setting`` can set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer

from kubestage.cli import failures, option_objects, printing, screen

if TYPE_CHECKING:
    from kubestage.runs.setting_list import Setting

EPILOG: Final = """
[bold]Examples[/bold]

kubestage settings                   [dim]# all, with defaults and meanings[/dim]

kubestage settings hpa               [dim]# those in whose name or meaning this is[/dim]

kubestage run shop/ --for 1h --setting hpa.sync-period=30s

Names are those of the flags of kube-controller-manager, VPA and cluster-autoscaler.

Exit code: 0; 1 if no setting has the word.
"""


@option_objects.command
def settings(
    word: Annotated[
        str, typer.Argument(metavar="[WORD]", help="What to look for.", show_default=False)
    ] = "",
    output: Annotated[str, option_objects.output_flag("table", "json")] = "table",
) -> int:
    """List the settings of controllers, kubelets and autoscalers."""
    from kubestage.runs import setting_list

    found = setting_list.settings(word).settings
    if not found:
        failures.print_error(f'no setting has "{word}"', "`kubestage settings` lists all")
        return failures.NEGATIVE_RESULT
    if output == "json":
        screen.write(printing.as_json({"settings": [each._asdict() for each in found]}))
    else:
        screen.write(_text(found))
    return 0


def _text(found: list[Setting]) -> str:
    from kubestage.objects.tables import text

    rows = [("SETTING", "DEFAULT", "MEANING")]
    rows += [(each.name, each.default or "none", each.meaning) for each in found]
    return "".join(f"{line.rstrip()}\n" for line in text.align(rows))
