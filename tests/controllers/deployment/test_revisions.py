from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.controllers.deployment import revisions

if TYPE_CHECKING:
    from kubestage.aliases import Json


def _object(**annotations: str) -> Json:
    return {"metadata": {"annotations": annotations}}


def _revision(text: str) -> Json:
    return _object(**{revisions.REVISION: text})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12", 12),
        ("-3", -3),
        ("+4", 4),
        ("", None),
        ("1_0", None),
        (" 1", None),
        ("9223372036854775808", None),
    ],
)
def test_a_revision_is_a_number_as_go_reads_one(text: str, expected: int | None) -> None:
    assert revisions.revision(_revision(text)) == expected


def test_no_revision_is_the_zeroth() -> None:
    assert revisions.revision({"metadata": {}}) == 0


def test_the_newest_and_the_last_before_it() -> None:
    sets = [_revision("3"), _revision("x"), _revision("7"), _revision("5")]
    assert (revisions.newest(sets), revisions.last(sets)) == (7, 5)
    assert (revisions.newest([]), revisions.last([_revision("1")])) == (0, 0)


def test_annotations_are_copied_but_for_those_of_their_own() -> None:
    own = dict.fromkeys(revisions.OWN, "deployment's")
    deployment = _object(team="a", **own)
    annotations, has_changed = revisions.for_new(deployment, {"kept": "1"}, 4)
    assert has_changed
    assert annotations == {"kept": "1", "team": "a", revisions.REVISION: "4"}


def test_a_revision_that_is_higher_already_stays() -> None:
    known = {revisions.REVISION: "9"}
    assert revisions.for_new(_object(), known, 4) == (known, False)


def test_the_revision_it_had_is_remembered() -> None:
    first, _ = revisions.for_new(_object(), {revisions.REVISION: "1"}, 3)
    assert first[revisions.REVISION_HISTORY] == "1"
    second, _ = revisions.for_new(_object(), first, 5)
    assert second[revisions.REVISION_HISTORY] == "1,3"


def test_a_long_history_loses_its_beginning() -> None:
    past = ",".join(str(number) for number in range(1000, 1400))
    known = {revisions.REVISION: "1400", revisions.REVISION_HISTORY: past}
    annotations, _ = revisions.for_new(_object(), known, 1401)
    history = annotations[revisions.REVISION_HISTORY]
    assert len(history) <= 2000
    assert history.endswith(",1399,1400")
    assert history.startswith("1001,")


def test_a_revision_that_cannot_be_read_changes_nothing() -> None:
    _, has_changed = revisions.for_new(_object(team="a"), {revisions.REVISION: "x"}, 4)
    assert not has_changed


@pytest.mark.parametrize(
    ("text", "expected"), [("5", 5), ("-5", None), ("+5", None), ("x", None), ("2147483648", None)]
)
def test_sizes_are_plain_numbers(text: str, expected: int | None) -> None:
    replica_set = _object(**{revisions.DESIRED_REPLICAS: text})
    assert revisions.size(replica_set, revisions.DESIRED_REPLICAS) == expected
    assert revisions.size(replica_set, revisions.MAX_REPLICAS) is None
