"""Which Jobs select a pod that has no controller."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.ownership import labels_of
from kubestage.objects import labels

if TYPE_CHECKING:
    from kubestage.aliases import Json

_Place = tuple[str, str, str]

_NONE: Final[dict[str, Json]] = {}


class SelectingJobs:
    """Jobs by one label that their pods must have: nearly always the one with the Job's uid."""

    def __init__(self) -> None:
        self._jobs: dict[_Place, dict[str, Json]] = {}

    def add(self, key: str, job: Json) -> None:
        """Remember a Job's selector."""
        self._jobs.setdefault(_place(job), {})[key] = job["spec"]["selector"]

    def remove(self, key: str, job: Json) -> None:
        """Forget a Job."""
        place = _place(job)
        known = self._jobs.get(place)
        if known is not None and known.pop(key, None) is not None and not known:
            del self._jobs[place]

    def jobs_of(self, pod: Json) -> list[str]:
        """The keys of the Jobs whose selector a pod matches; a pod without labels matches none."""
        has = labels_of(pod)
        namespace = pod["metadata"]["namespace"]
        places = [(namespace, "", ""), *((namespace, *label) for label in has.items())]
        return [
            key
            for place in places
            for key, selector in self._jobs.get(place, _NONE).items()
            if has and labels.from_label_selector(selector).matches(has)
        ]


def _place(job: Json) -> _Place:
    expected = job["spec"]["selector"].get("matchLabels")
    name, value = next(iter(expected.items())) if expected else ("", "")
    return job["metadata"]["namespace"], name, value
