"""A fake of the few calls of GitHub's API that are used, with answers as GitHub gives them."""

from __future__ import annotations

import contextlib
import http.server
import json
import re
import threading
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

BOT: Final = {"login": "github-actions[bot]", "id": 41898282, "type": "Bot"}
PERSON: Final = {"login": "octocat", "id": 1, "type": "User"}
_LIST: Final = re.compile(r"^/repos/shop/deploy/issues/7/comments(?:\?per_page=(\d+)&page=(\d+))?$")
_ONE: Final = re.compile(r"^/repos/shop/deploy/issues/comments/(\d+)$")


class FakeGitHub:
    """The comments of one pull request, and the requests that were made."""

    def __init__(self) -> None:
        self.address = ""
        self.comments: list[dict[str, Any]] = []
        self.requests: list[tuple[str, str]] = []
        self.tokens: set[str | None] = set()
        self.refusal: tuple[int, str] | None = None

    def add(self, body: str, user: dict[str, Any] = BOT) -> dict[str, Any]:
        """A comment, as GitHub returns it."""
        number = 1000 + len(self.comments)
        comment = {
            "url": f"{self.address}/repos/shop/deploy/issues/comments/{number}",
            "id": number,
            "user": user,
            "author_association": "NONE",
            "body": body,
        }
        self.comments.append(comment)
        return comment

    def answer(self, method: str, path: str, content: dict[str, Any]) -> tuple[int, Any]:
        """The status and the content of an answer."""
        if self.refusal is not None and method != "GET":
            status, message = self.refusal
            return status, {"message": message, "status": str(status)}
        listed, one = _LIST.match(path), _ONE.match(path)
        if method == "GET" and listed and listed[1]:
            size, page = int(listed[1]), int(listed[2])
            return 200, self.comments[size * (page - 1) : size * page]
        if method == "POST" and listed:
            return 201, self.add(content["body"])
        if method == "PATCH" and one:
            [found] = [each for each in self.comments if each["id"] == int(one[1])]
            found["body"] = content["body"]
            return 200, found
        return 404, {"message": "Not Found", "status": "404"}


@contextlib.contextmanager
def serving() -> Iterator[FakeGitHub]:
    """The fake on a free port of loopback, until the end of the block."""
    fake = FakeGitHub()

    class Handler(http.server.BaseHTTPRequestHandler):
        def _do(self) -> None:
            size = int(self.headers.get("Content-Length") or 0)
            content = json.loads(self.rfile.read(size)) if size else {}
            fake.requests.append((self.command, self.path))
            fake.tokens.add(self.headers.get("Authorization"))
            status, answer = fake.answer(self.command, self.path, content)
            body = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_PATCH = _do  # noqa: N815

        def log_message(self, *_: object) -> None:
            """Requests are kept, not printed."""

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        fake.address = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield fake
        finally:
            server.shutdown()
            thread.join()
