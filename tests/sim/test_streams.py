from __future__ import annotations

import pickle
import subprocess
import sys

from kubestage.sim import Streams


def draws(streams: Streams, name: str, count: int = 5) -> list[float]:
    return [streams.stream(name).random() for _ in range(count)]


def test_the_same_seed_and_name_give_the_same_draws() -> None:
    assert draws(Streams(1), "arrivals") == draws(Streams(1), "arrivals")


def test_another_seed_or_another_name_gives_other_draws() -> None:
    first = draws(Streams(1), "arrivals")
    assert first != draws(Streams(2), "arrivals")
    assert first != draws(Streams(1), "service")


def test_a_stream_does_not_depend_on_which_streams_were_asked_for_before() -> None:
    busy = Streams(1)
    draws(busy, "other", 100)
    assert draws(busy, "arrivals") == draws(Streams(1), "arrivals")


def test_a_name_always_means_the_same_generator() -> None:
    streams = Streams(1)
    assert streams.stream("arrivals") is streams.stream("arrivals")


def test_streams_pickle_with_their_state() -> None:
    streams = Streams(1)
    draws(streams, "arrivals")
    copy = pickle.loads(pickle.dumps(streams))
    assert draws(copy, "arrivals") == draws(streams, "arrivals")
    assert draws(copy, "new") == draws(streams, "new")


def test_another_process_with_another_hash_salt_draws_the_same() -> None:
    code = "from kubestage.sim import Streams; print(Streams(7).stream('arrivals').random())"
    told = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": salt},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for salt in ("1", "2")
    ]
    assert [float(text) for text in told] == [Streams(7).stream("arrivals").random()] * 2


def test_rewound_streams_give_again_what_they_gave_first_under_the_seed_alone() -> None:
    """Whoever holds a stream goes on with it; those that are excepted go on where they are."""
    streams, fresh = Streams(1, boot=3), Streams(1)
    held, kept = streams.stream("a"), draws(streams, "kept")
    draws(streams, "a")
    streams.rewind(but=("kept",))
    assert [held.random() for _ in range(5)] == draws(fresh, "a")
    assert draws(streams, "later") == draws(fresh, "later")
    assert draws(streams, "kept") != kept
