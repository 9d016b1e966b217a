"""A scheduler configuration that is put while others are served is not too large."""

from __future__ import annotations

import asyncio

import pytest

from tests.server import calling
from tests.server.live_stage import Served

PATH = "/kubestage/v1/scheduler/configuration"
TYPED = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"


def profiles(count: int) -> str:
    names = "".join(f"- schedulerName: s{number}\n" for number in range(count))
    return f"{TYPED}profiles:\n{names}"


@pytest.mark.parametrize(
    ("text", "code", "problem"),
    [
        (profiles(20), 200, ""),
        (profiles(21), 400, "21 profiles are more than a running server takes"),
        (TYPED + "#" * (1 << 20), 413, "limit is 1048576"),
    ],
)
def test_what_would_hold_up_others_is_refused(text: str, code: int, problem: str) -> None:
    async def story() -> None:
        answer = await calling.call(Served().app, "PUT", PATH, text.encode())
        assert answer.status == code, answer.body
        assert problem in answer.json.get("message", "")

    asyncio.run(story())
