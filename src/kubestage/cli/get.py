"""``kubestage get``: what manifests hold, in kubectl's words."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Final

import typer

from kubestage.cli import completion, get_format, option_objects, progress, screen
from kubestage.errors import InputError
from kubestage.runs.flags import Flag
from kubestage.runs.get_options import GetOptions

if TYPE_CHECKING:
    from kubestage.cli.get_format import Format
    from kubestage.runs.contents import GetResult

EPILOG: Final = """
[bold]Examples[/bold]

kubestage get pods -f cluster/              [dim]# in namespace default[/dim]

kubestage get all -A -f cluster/ -o wide    [dim]# all that runs, everywhere[/dim]

kubestage get deploy,svc -n shop -f cluster/ -l app=web

kubestage get node/worker-1 -f nodes.yaml -o yaml

kubestage get nodes -f nodes.yaml -L topology.kubernetes.io/zone

kubestage get pods -A -f cluster/ --sort-by .spec.nodeName

kubestage get pods -f cluster/ -o jsonpath='{.items[*].metadata.name}'

kubestage get pods -f cluster/ -o custom-columns=POD:.metadata.name,NODE:.spec.nodeName

kubectl get pods -A -o json | kubestage get pods -A -f -

Ages are counted from the newest time in the files, so that output never changes by itself.

Objects are shown with the defaults that the API fills in.
"""


_Words = Annotated[
    list[str],
    typer.Argument(
        metavar="KIND",
        help="pods | po,svc | all | pod web-1 web-2 | pod/web-1 svc/web. "
        "`kubestage api-resources` lists the kinds.",
        show_default=False,
        autocompletion=completion.kind_words,
    ),
]


@option_objects.command
def get(
    words: _Words,
    options: GetOptions,
    output: Annotated[
        str,
        Flag(
            "table, wide, yaml, json or name; jsonpath=TEMPLATE, custom-columns=HEADING:PATH,... "
            "or go-template=TEMPLATE; jsonpath-file=, custom-columns-file= or go-template-file= "
            "for one in a file; jsonpath-as-json=.",
            "-o",
            metavar="FORMAT",
            completion="get formats",
        ),
    ] = "table",
    template: Annotated[
        str, Flag("The template of -o; without -o, a Go template.", metavar="TEXT")
    ] = "",
    sort_by: Annotated[
        str,
        Flag(
            "Order by a field, as in .status.startTime; numbers and quantities by size.",
            metavar="PATH",
        ),
    ] = "",
    label_columns: Annotated[
        tuple[str, ...],
        Flag("Add a column for the value of a label. Repeatable.", "-L", metavar="KEY,..."),
    ] = (),
    show_labels: Annotated[bool, Flag("Add a column with all labels.")] = False,
    show_kind: Annotated[bool, Flag("Write the kind before each name, as in pod/web-1.")] = False,
    no_headers: Annotated[bool, Flag("Leave the headings out.")] = False,
    now: Annotated[
        str, Flag("The moment from which ages are counted (RFC 3339).", metavar="TIME")
    ] = "",
) -> None:
    """Print objects from manifests as kubectl prints those of a cluster."""
    from kubestage.cli import ordering, table
    from kubestage.runs import contents

    format_ = get_format.parse(output, template)
    is_table = format_.name in get_format.TABLES
    if show_labels and not is_table:
        problem = f"--show-labels option cannot be used with {output} printer"
        raise InputError(problem, fix="leave it out, or write -o wide")
    result = contents.get(words, options, observer=progress.OBSERVER)
    if not is_table:
        screen.write_data(_machine_readable(format_, result, sort_by, no_headers))
        return
    layout = table.Layout(
        wide=format_.name == "wide",
        with_namespace=options.all_namespaces,
        with_kind=show_kind or len({request.kind for request in result.requests}) > 1,
        show_labels=show_labels,
        no_headers=no_headers,
        label_columns=tuple(key for each in label_columns for key in each.split(",")),
    )
    ordered = [(kind, ordering.by_field(objects, sort_by)) for kind, objects in result.found]
    screen.write(table.render(ordered, layout, result.contents.now_ns(now)))
    if not result.objects:
        sys.stdout.flush()
        nothing = result.contents.nothing_found(result.requests, result.filters)
        screen.note(nothing)


def _machine_readable(format_: Format, result: GetResult, sort_by: str, no_headers: bool) -> str:
    """All objects in one list, or the one that was named."""
    from kubestage.cli import custom_columns, ordering, printing

    objects = result.objects
    if not result.is_single:
        objects = ordering.by_field(objects, sort_by)
    if format_.name == "name":
        return "".join(f"{printing.qualified_name(obj)}\n" for obj in objects)
    if format_.name == "custom-columns":
        return custom_columns.render(format_.columns(), objects, no_headers=no_headers)
    whole = printing.as_one(objects, result.is_single)
    if format_.name == "json":
        return printing.as_json(whole)
    if format_.name == "yaml":
        return printing.as_yaml(whole)
    if format_.name == "go-template":
        return get_format.by_go_template(format_, whole)
    return get_format.by_jsonpath(format_, whole)
