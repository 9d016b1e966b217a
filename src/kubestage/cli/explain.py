"""``kubestage explain``: why a pod of a run is where it is, and not elsewhere."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, Annotated, Final

import typer

from kubestage.cli import completion, failures
from kubestage.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.aliases import Json
    from kubestage.cli.explain_found import Found, Subject
    from kubestage.cli.explain_sources import Stories
    from kubestage.cli.explain_story import Group, Look
    from kubestage.cli.explain_subject import Told


FORMATS: Final = ("table", "json")
EPILOG: Final = """
[bold]Examples[/bold]

kubestage run scenario.yaml --out runs/first

kubestage explain runs/first shop/web-1               [dim]# every attempt at it[/dim]

kubestage explain runs/first web-1 --attempt 2        [dim]# one of them[/dim]

kubestage explain runs/first web-1 --node worker-3    [dim]# why not there?[/dim]

kubestage explain runs/first web-1 -o json            [dim]# all verdicts and scores[/dim]

What was not recorded is computed anew: the run is repeated and compared with what is known of it.

Exit code: 0; 1 if the repetition is another run, as with a plugin that was changed since; 2 if
the run or the pod cannot be found.
"""


def explain(
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN",
            help="What `kubestage run --out` has written, or a Scenario with its status in a file.",
            show_default=False,
        ),
    ],
    pod: Annotated[
        str,
        typer.Argument(
            metavar="POD",
            help="NAMESPACE/NAME, or the name if it is the only one.",
            show_default=False,
        ),
    ],
    attempt: Annotated[
        int | None,
        typer.Option("--attempt", metavar="K", help="Only the K-th attempt at the pod, in full."),
    ] = None,
    node: Annotated[
        str | None, typer.Option("--node", metavar="NODE", help="Why is it not on this node?")
    ] = None,
    top: Annotated[
        int, typer.Option("--top", metavar="N", min=1, help="Show the scores of the best N nodes.")
    ] = 10,
    output: Annotated[str, completion.output_option(*FORMATS)] = "table",
) -> int:
    """Tell why a pod of a run went where it went, who rejected which node, and all scores."""
    from kubestage.cli import explain_sources, explain_story, explain_subject
    from kubestage.results import run_directory
    from kubestage.runs.inputs import file_kinds

    completion.check_choice(output, FORMATS)
    file_kinds.expect_run(run)
    with run_directory.open_run(run) as kept:
        told = explain_subject.Told(kept)
        found = told.find(pod)
        if node is not None:
            _check_node(node, found)
        shown = _shown(found, attempt)
        wanted = [
            each.number
            for groups in shown
            for group in groups
            for each in (group.attempts if output == "json" else group.attempts[:1])
            if group.in_full or output == "json"
        ]
        stories = explain_sources.stories(kept, wanted, told.attempts)
        if output == "json":
            _print_json(found, shown, stories)
        else:
            width = shutil.get_terminal_size().columns
            look = explain_story.Look(width, top, node)
            for line in _lines(told, found, shown, stories, look):
                sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
    for note in stories.notes:
        typer.echo(f"Note: {note}", err=True)
    if stories.differs is None:
        return 0
    failures.tell(
        f"the run cannot be repeated as it was: {stories.differs}",
        "what is shown is what was recorded; run it again to explain the run as it is now",
    )
    return failures.NOT_AS_WANTED


def _shown(found: Found, attempt: int | None) -> list[list[Group]]:
    """The attempts to show of each pod that has had the name, counted through."""
    from kubestage.cli import explain_story

    shown, place = [], 1
    for subject in found.subjects:
        if attempt is None:
            shown.append(explain_story.groups(subject.attempts, place))
        else:
            at = attempt - place
            is_here = 0 <= at < len(subject.attempts)
            shown.append([explain_story.Group(attempt, [subject.attempts[at]])] if is_here else [])
        place += len(subject.attempts)
    if attempt is not None and not any(shown):
        raise _no_attempt(found.key, place - 1, attempt)
    return shown


def _no_attempt(key: str, attempts: int, wanted: int) -> InputError:
    if not attempts:
        return InputError(f"{key} was never tried", path="--attempt", fix="leave it out")
    known = "there is attempt 1" if attempts == 1 else f"there are attempts 1 to {attempts}"
    return InputError(f"there is no attempt {wanted} at {key}", path="--attempt", fix=known)


def _check_node(node: str, found: Found) -> None:
    names = {name for nodes in found.nodes.values() for name in nodes}
    if node in names:
        return
    import difflib

    near = difflib.get_close_matches(node, sorted(names), n=1)
    fix = f"did you mean {near[0]}?" if near else "name a node of the run"
    raise InputError(f'there is no node "{node}"', path="--node", fix=fix)


def _lines(
    told: Told,
    found: Found,
    shown: Sequence[Sequence[Group]],
    stories: Stories,
    look: Look,
) -> Iterator[str]:
    from kubestage.cli import explain_story, explain_untried

    several = len(found.subjects) > 1
    for at, (subject, groups) in enumerate(zip(found.subjects, shown, strict=True)):
        if several:
            yield from ([""] if at else [])
            yield f"Pod {at + 1} of {len(found.subjects)} that have had this name:"
        yield from explain_story.tell(found, subject, groups, stories.told, look)
        if not subject.attempts:
            yield f"  {explain_untried.reason(subject.pod, told)}"


def _print_json(found: Found, shown: Sequence[Sequence[Group]], stories: Stories) -> None:
    import msgspec

    told = [
        _as_dict(subject, groups, stories)
        for subject, groups in zip(found.subjects, shown, strict=True)
    ]
    text = msgspec.json.format(msgspec.json.encode(told[0] if len(told) == 1 else told), indent=2)
    sys.stdout.write(text.decode() + "\n")


def _as_dict(subject: Subject, groups: Sequence[Group], stories: Stories) -> Json:
    from kubestage.results import pod_story

    rows = [(group.place + at, each) for group in groups for at, each in enumerate(group.attempts)]
    return pod_story.as_dict(subject.pod, subject.victims, rows, stories.told)
