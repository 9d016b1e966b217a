"""Questions about the present state of a cluster, answered by rehearsals on a copy of it."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import InputError
from kubestage.objects import locator, manifest, timestamps
from kubestage.runs import rehearse
from kubestage.runs.inputs import manifests, stage_inputs
from kubestage.runs.observer import SILENT
from kubestage.runs.rehearse import cluster as clusters
from kubestage.runs.rehearse.options import (
    ClusterOptions,
    DrainOptions,
    GrowOptions,
    OutageOptions,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.runs.rehearse.result import Rehearsed
    from kubestage.runs.shadow_options import ShadowOptions

ORIGIN: Final = "the cluster as it is now"
_FIX: Final = "ask as in 'outage zone/b', 'outage zone/b --for 1h', 'drain node-1', 'grow all=2x'"
_VERBS: Final = ("outage", "drain", "grow")


class Question(msgspec.Struct, frozen=True):
    """A rehearsal in words, as ``kubestage rehearse`` has them."""

    text: str
    verb: str
    words: tuple[str, ...]
    lasts: str = OutageOptions().lasts


def parse(text: str) -> Question:
    """A question; ``zone/b lost`` is an outage of zone b. InputError if it is none."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise InputError(f'"{text}": {error}', path="--ask", fix=_FIX) from None
    lasts = OutageOptions().lasts
    if "--for" in words[:-1]:
        at = words.index("--for")
        lasts = words[at + 1]
        del words[at : at + 2]
    if len(words) > 1 and words[-1] == "lost":
        words = ["outage", *words[:-1]]
    if len(words) < 2 or words[0] not in _VERBS or any(each.startswith("-") for each in words):
        raise InputError(f'"{text}" is no question', path="--ask", fix=_FIX)
    return Question(text, words[0], tuple(words[1:]), lasts)


def answer(question: Question, objects: Sequence[Json], at_ns: int,
           options: ShadowOptions) -> dict[str, Any]:  # fmt: skip
    """What would happen; a question that cannot be answered has an error in place of an answer."""
    report: dict[str, Any] = {"question": question.text}
    try:
        found = _rehearsed(question, objects, at_ns, options)
    except InputError as error:
        return {**report, "error": str(error)}
    return {**report, "answer": found.answer, "notes": list(found.notes), "result": found.to_dict()}


def _rehearsed(
    question: Question, objects: Sequence[Json], at_ns: int, options: ShadowOptions
) -> Rehearsed:
    loaded = _loaded(objects, at_ns)
    opened = ClusterOptions(config=options.config, plugins=options.plugins, seed=options.seed)
    stage = clusters.stage_of(loaded, clusters.read_settings(opened, loaded), SILENT)
    words = list(question.words)
    if question.verb == "outage":
        return rehearse.outage(stage, words, OutageOptions(lasts=question.lasts))
    if question.verb == "drain":
        # A question is not refused for what a person would confirm.
        drained = DrainOptions(ignore_daemonsets=True, delete_emptydir_data=True)
        return rehearse.drain(stage, words, drained)
    return rehearse.grow(stage, words, GrowOptions())


def _loaded(objects: Sequence[Json], at_ns: int) -> manifests.LoadedManifests:
    found = manifests.LoadedManifests(locators={ORIGIN: locator.Locator(b"")})
    found.documents = [
        manifest.Document(each, 1, ORIGIN, index) for index, each in enumerate(objects)
    ]
    stage_inputs.keep_known_kinds(found)
    stage_inputs.complete(found)
    found.start = timestamps.format_time(at_ns)
    return found
