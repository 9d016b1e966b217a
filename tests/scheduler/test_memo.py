from __future__ import annotations

from kubestage.scheduler.memo import Memo


def test_an_answer_is_built_once() -> None:
    memo, built = Memo(), []

    def build() -> None:
        built.append(1)

    assert memo.get("key", build) is None
    assert memo.get("key", build) is None
    assert built == [1]


def test_too_many_answers_are_all_forgotten() -> None:
    memo = Memo(limit=2)
    assert memo.get(1, lambda: 1) == 1
    assert memo.get(2, lambda: 2) == 2
    assert memo.get(3, lambda: 3) == 3
    assert memo.get(3, lambda: -1) == 3
    assert memo.get(1, lambda: -1) == -1


def test_answers_can_be_forgotten_at_once() -> None:
    memo = Memo()
    memo.get("key", lambda: 1)
    memo.clear()
    assert memo.get("key", lambda: 2) == 2
