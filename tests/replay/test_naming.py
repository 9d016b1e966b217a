from __future__ import annotations

from typing import Any

import pytest

from kubestage.replay import naming
from kubestage.replay.naming import Naming

UID = "0b1c2d3e-0000-4000-8000-00000000000{}"


def obj(kind: str, name: str, uid: int, **metadata: Any) -> dict[str, Any]:
    return {"kind": kind, "metadata": {"name": name, "uid": UID.format(uid), **metadata}}


@pytest.fixture
def names() -> Naming:
    found = Naming("lab-x")
    found.learn(obj("ReplicaSet", "web-69b75bc7cf", 1))
    found.learn(obj("Pod", "web-69b75bc7cf-x2k4p", 2, generateName="web-69b75bc7cf-"))
    found.learn(obj("StatefulSet", "db", 3))
    found.learn(obj("Pod", "db-0", 4, generateName="db-"))
    owner = [{"kind": "CronJob", "name": "cj"}]
    found.learn(obj("Job", "cj-29543", 5, ownerReferences=owner))
    found.learn(obj("Pod", "cj-29543-zzzzz", 6, generateName="cj-29543-"))
    return found


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Created pod: web-69b75bc7cf-x2k4p", "Created pod: web-69b75bc7cf-<r*>"),
        ("Create Pod db-0 in StatefulSet db", "Create Pod db-0 in StatefulSet db"),
        ("Created job cj-29543", "Created job cj-<r*>"),
        ("Created pod: cj-29543-zzzzz", "Created pod: cj-<r*>-<r*>"),
        ("pods in lab-x/web", "pods in $NS/web"),
        (UID.format(5), "<uid:Job/cj-<r*>>"),
        (f"pvc-{UID.format(3)}", "pvc-<uid:StatefulSet/db>"),
        (UID.format(9), "<uid>"),
        ("since 2026-03-04T10:40:20Z, 2026-03-04T10:40:20.5Z", "since <t>, <t>"),
        ("at 10.0.3.4", "at <ip>"),
    ],
)
def test_texts_are_as_in_recordings(names: Naming, text: str, told: str) -> None:
    assert names.text(text) == told


def test_the_name_of_a_refused_pod_is_known_by_its_owner(names: Naming) -> None:
    assert names.text('pods "web-69b75bc7cf-bcdfg" is forbidden') == (
        'pods "web-69b75bc7cf-<r*>" is forbidden'
    )
    assert names.text('pods "other-bcdfg"') == 'pods "other-bcdfg"'


def test_numbers_of_random_names_are_no_identity() -> None:
    recorded = {"a-<r1>": ["<uid:Job/a-<r12>>", 3, None]}
    assert naming.unnumbered(recorded) == {"a-<r*>": ["<uid:Job/a-<r*>>", 3, None]}
