"""The objects of files, put on a stage that is to be served: a new one, or one that was kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.errors import ApiError, InputError
from kubestage.objects import timestamps
from kubestage.runs.inputs import stage_inputs
from kubestage.scenario import recorded_times, resource
from kubestage.server.bootstrap import installing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.objects.manifest import Document
    from kubestage.runs.inputs.manifests import LoadedManifests
    from kubestage.stage import Stage


def newest_time(loaded: LoadedManifests | None) -> str | None:
    """The newest time in the objects: it must not be in the future. A recording begins when it was
    started.
    """
    if loaded is None:
        return None
    imported = [each.scenario for each in loaded.imported]
    started: list[str | None] = [each["metadata"].get("creationTimestamp") for each in imported]
    if any(started):
        return min(each for each in started if each)
    written = (document.object for document in loaded.documents)
    recorded_ns = recorded_times.newest_ns([*written, *imported])
    return timestamps.format_time(recorded_ns) if recorded_ns else None


def split(
    loaded: LoadedManifests | None,
) -> tuple[list[Document], list[Document], list[Document]]:
    """Infrastructure, what runs on it, and Scenarios, which come last."""
    if loaded is None:
        return [], [], []
    first, rest = stage_inputs.split(loaded)
    # The Service of a recorded cluster's own API server is not made a second time.
    first += [each for each in rest if installing.is_api_service(each.object)]
    rest = [each for each in rest if not installing.is_api_service(each.object)]
    scenarios = [each for each in first if resource.is_scenario(each.object)]
    return [each for each in first if each not in scenarios], rest, scenarios


def put(
    stage: Stage,
    loaded: LoadedManifests | None,
    documents: Sequence[Document],
    *,
    is_new_stage: bool,
) -> None:
    """Put objects on a stage; what an earlier process left there becomes what the files say."""
    if loaded is None:
        return
    if is_new_stage:
        stage_inputs.put(stage, loaded, documents, is_new=stage_inputs.is_new)
        return
    for document in documents:
        _apply(stage, loaded, document)


def _apply(stage: Stage, loaded: LoadedManifests, document: Document) -> None:
    """Put an object on a stage that may have it already: then it becomes what the file says."""
    obj: Json = document.object
    if "uid" in (obj.get("metadata") or {}):
        fix = "begin anew with another --data-dir, or take its uid and status out"
        problem = "was recorded in another cluster, and here is one already"
        raise loaded.place(document, InputError(problem, path="metadata.uid", fix=fix))
    try:
        stage.apply([obj])
    except ApiError as error:
        raise loaded.place(document, stage_inputs.refusal(error)) from error
    except InputError as error:
        raise loaded.place(document, error) from None
