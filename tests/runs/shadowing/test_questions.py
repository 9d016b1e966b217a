"""Questions in words, and what becomes of them."""

from __future__ import annotations

import pytest

from kubestage.errors import InputError
from kubestage.runs.shadow_options import ShadowOptions
from kubestage.runs.shadowing import questions
from kubestage.testing import make_deployment, make_node

NOW = 1_772_359_200 * 10**9


@pytest.mark.parametrize(
    ("text", "verb", "words", "lasts"),
    [
        ("outage zone/b", "outage", ("zone/b",), "15m"),
        ("outage zone/b --for 1h", "outage", ("zone/b",), "1h"),
        ("zone/b lost", "outage", ("zone/b",), "15m"),
        ("drain node-1 node-2", "drain", ("node-1", "node-2"), "15m"),
        ("grow 'deploy/web=2x' sts/db=+1", "grow", ("deploy/web=2x", "sts/db=+1"), "15m"),
    ],
)
def test_questions_are_those_of_rehearse(
    text: str, verb: str, words: tuple[str, ...], lasts: str
) -> None:
    assert questions.parse(text) == questions.Question(text, verb, words, lasts)


@pytest.mark.parametrize(
    "text", ["", "outage", "lost", "explode all", "drain 'a", "drain --force a"]
)
def test_other_words_are_refused(text: str) -> None:
    with pytest.raises(InputError) as caught:
        questions.parse(text)
    assert caught.value.path == "--ask"
    assert "outage zone/b" in str(caught.value.fix)


def test_an_answer_is_that_of_the_objects_at_hand() -> None:
    objects = [
        make_node("a", cpu="4"),
        make_node("b", cpu="4"),
        make_deployment("web", replicas=3, cpu="1"),
    ]
    found = questions.answer(questions.parse("grow deploy/web=3x"), objects, NOW, ShadowOptions())
    assert "error" not in found
    assert found["result"]["cluster"] == "the stage"
    assert found["answer"]
    missing = questions.answer(questions.parse("outage c"), objects, NOW, ShadowOptions())
    assert 'no node "c"' in missing["error"]
    # The same objects can be asked about again.
    again = questions.answer(questions.parse("grow deploy/web=3x"), objects, NOW, ShadowOptions())
    assert again == found
