"""Replays recorded requests to a real API server on a store, and compares the answers.

Only what a store itself answers is replayed: verbs on objects, lists and watches as JSON.
A sequence stops being comparable at the first change that needs the server (server-side apply,
eviction and the like), so the rest of it is left out.
"""

from __future__ import annotations

import re
from typing import Any

from kubestage.errors import ApiError
from kubestage.sim.clock import Clock
from kubestage.sim.streams import Streams
from kubestage.store import admission, garbage
from kubestage.store.store import Store
from kubestage.store.watch import Watch
from tests.store.recorded_requests import Call, NotOurs

# Values that the recording left open; those with a number mean the same value each time.
PLACEHOLDER = re.compile(r"<(?:uid|rv|lrv|continue|gen|n|time|object)(?::\d+)?>")
# Answers about the form of a request, which a store does not see.
FORM_ERRORS = (405, 406, 415)


class Differs(AssertionError):
    """An answer that is not the recorded one."""


class Replay:
    """One store, and the values that the recording left open."""

    def __init__(self) -> None:
        self.store = Store(
            Clock(),
            Streams(7),
            admission=(admission.priority.admit, admission.default_tolerations.admit),
            garbage="manual",
        )
        self.bound: dict[str, str] = {}
        self.watches: dict[str, Watch] = {}

    def run(self, sequence: dict[str, Any]) -> tuple[int, int]:
        """How many answers were compared, and how many steps were left out."""
        compared = skipped = 0
        for step in sequence["steps"]:
            try:
                self.step(step)
                compared += 1
            except NotOurs as reason:
                skipped += 1
                if reason.changed:
                    break
        return compared, skipped

    def step(self, step: dict[str, Any]) -> None:
        """Do one request and compare its answer."""
        response = step["response"]
        if step.get("collect"):
            self.compare_events(response["events"], self.watches[step["collect"]])
            return
        if step.get("poll"):
            garbage.collect(self.store)
        request = self.filled(step["request"])
        answer = self.answer(request, response)
        if isinstance(answer, Watch):
            if step.get("background"):
                self.watches[step["background"]] = answer
            elif is_plain(request):
                self.compare_events(response["events"], answer)
        elif answer is not None and is_plain(request):
            self.compare(response["body"], answer, "body")
        elif answer is not None:
            self.bind_versions(response.get("body") or {}, answer)

    def answer(self, request: dict[str, Any], response: dict[str, Any]) -> Any:
        """The store's answer, if it succeeds or fails as recorded."""
        status = response["status"]
        if status in FORM_ERRORS:
            raise NotOurs
        try:
            answer = Call(self.store, request, succeeded=status < 300).answer()
        except ApiError as error:
            if status == 500:
                # The real server's own failures; here they are refusals.
                return None
            self.compare(status, error.code, "status")
            return error.status
        if status >= 400:
            raise Differs(f"expected {status} {response.get('body')}, got {answer}")
        return answer

    def filled(self, value: Any) -> Any:
        """The request with the placeholders that are known by now replaced."""
        if isinstance(value, dict):
            return {key: self.filled(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.filled(item) for item in value]
        if isinstance(value, str):
            return PLACEHOLDER.sub(lambda match: self.bound.get(match[0], match[0]), value)
        return value

    def compare(self, want: Any, got: Any, path: str) -> None:
        """Raise Differs unless the answer is the recorded one, up to placeholders."""
        if isinstance(want, dict) and isinstance(got, dict):
            for name in {*want, *got} - {"managedFields"}:
                if {} == want.get(name, {}) == got.get(name, {}):
                    continue
                if name not in want or name not in got:
                    raise Differs(f"{path}.{name}: want {want.get(name)!r}, got {got.get(name)!r}")
                self.compare(want[name], got[name], f"{path}.{name}")
        elif isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
            for at, item in enumerate(want):
                self.compare(item, got[at], f"{path}[{at}]")
        elif not self.same(want, got):
            raise Differs(f"{path}: want {want!r}, got {got!r}")

    def same(self, want: Any, got: Any) -> bool:
        """Whether two scalars agree; placeholders met for the first time get their value."""
        if not isinstance(want, str) or not isinstance(got, str):
            return type(want) is type(got) and bool(want == got)
        pattern, at, unknown = "", 0, []
        for found in PLACEHOLDER.finditer(want):
            known = self.bound.get(found[0])
            pattern += re.escape(want[at : found.start()])
            pattern += re.escape(known) if known else "(.*?)"
            if not known:
                unknown.append(found[0])
            at = found.end()
        matched = re.fullmatch(pattern + re.escape(want[at:]), got, re.DOTALL)
        if matched is None:
            return False
        for name, value in zip(unknown, matched.groups(), strict=True):
            if ":" in name:
                self.bound[name] = value
        return True

    def compare_events(self, events: list[dict[str, Any]], watch: Watch) -> None:
        """Compare what a watch has told by now."""
        got = [{"type": each.type, "object": each.object} for each in watch.poll()]
        self.compare(events, got, "events")

    def bind_versions(self, recorded: dict[str, Any], answer: dict[str, Any]) -> None:
        """Remember the version of an answer whose form (a table, say) is not compared."""
        for name in ("resourceVersion", "continue"):
            placeholder = (recorded.get("metadata") or {}).get(name)
            if placeholder is not None:
                self.bound[placeholder] = answer["metadata"][name]


def is_plain(request: dict[str, Any]) -> bool:
    """Whether the answer was asked for as plain JSON."""
    accept = (request.get("headers") or {}).get("Accept", "application/json")
    return bool(accept == "application/json")
