"""Names from a seeded stream."""

from __future__ import annotations

import random
import re
import uuid

from hypothesis import given
from hypothesis import strategies as st

from kubestage.objects import names


@given(st.text("abc-", max_size=80), st.integers())
def test_generated_names_keep_their_base_and_fit(base: str, seed: int) -> None:
    name = names.generate_name(base, random.Random(seed))
    assert len(name) <= 63
    assert name[:-5] == base[:58]
    assert re.fullmatch("[bcdfghjklmnpqrstvwxz2456789]{5}", name[-5:])


@given(st.integers())
def test_uids_are_version_4_uuids(seed: int) -> None:
    text = names.uid(random.Random(seed))
    assert re.fullmatch(
        r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", text
    )


@given(st.integers())
def test_uids_are_the_bits_of_the_stream_in_groups(seed: int) -> None:
    stream, twin = random.Random(seed), random.Random(seed)
    for _ in range(3):
        drawn = uuid.UUID(int=twin.getrandbits(128), version=4)
        assert names.uid(stream) == str(drawn)


def test_the_same_seed_gives_the_same_names() -> None:
    def run(seed: int) -> list[str]:
        stream = random.Random(seed)
        return [names.uid(stream), names.generate_name("web-", stream), names.uid(stream)]

    assert run(1) == run(1)
    assert not set(run(1)) & set(run(2))


def test_every_letter_and_bit_is_used() -> None:
    stream = random.Random(7)
    suffixes = "".join(names.generate_name("", stream) for _ in range(500))
    assert set(suffixes) == set(names.ALPHABET)
    assert {names.uid(stream)[19] for _ in range(100)} == set("89ab")
