"""Write one comment on a pull request, or update the one that is there.

Run it in GitHub Actions, as action.yml does: ``python tools/pull_request_comment.py --file
verdict.md --name check``. The comment is recognised by a marker that no reader sees, and by its
author. It needs nothing but Python, and the token of the workflow in ``GITHUB_TOKEN``. Where that
must not comment, as on a pull request from a fork, a warning is printed, and the exit code is 0:
the verdict is in the summary of the job.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import sys
import urllib.error
import urllib.request
from typing import Any, Final

MOST_CHARACTERS: Final = 65_000
"""GitHub refuses a comment of more than 65,536."""
_PAGE: Final = 100
_SECONDS: Final = 30
_REFUSED: Final = (401, 403, 404)
_CUT: Final = "\n\n…\n\nThe rest is in the summary of the job.\n"


class Refused(Exception):
    """The token may not do this."""


class GitHub:
    """The few calls that are needed."""

    def __init__(self, address: str, token: str) -> None:
        self._address = address.rstrip("/")
        self._token = token

    def comments(self, repository: str, number: int) -> list[dict[str, Any]]:
        """All comments on a pull request."""
        found: list[dict[str, Any]] = []
        page = 1
        while True:
            path = f"/repos/{repository}/issues/{number}/comments?per_page={_PAGE}&page={page}"
            part = self._call("GET", path)
            found += part
            if len(part) < _PAGE:
                return found
            page += 1

    def create(self, repository: str, number: int, body: str) -> None:
        """A new comment."""
        self._call("POST", f"/repos/{repository}/issues/{number}/comments", {"body": body})

    def update(self, repository: str, comment: int, body: str) -> None:
        """Another text of a comment."""
        self._call("PATCH", f"/repos/{repository}/issues/comments/{comment}", {"body": body})

    def _call(self, method: str, path: str, content: dict[str, str] | None = None) -> Any:
        request = urllib.request.Request(
            f"{self._address}{path}",
            method=method,
            data=None if content is None else json.dumps(content).encode(),
            headers={
                "Accept": "application/vnd.github+json",
                "Authorization": f"Bearer {self._token}",
                "Content-Type": "application/json",
                "User-Agent": "kubestage",
                "X-GitHub-Api-Version": "2022-11-28",
            },
        )
        try:
            with urllib.request.urlopen(request, timeout=_SECONDS) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            with error:
                text = " ".join(error.read().decode(errors="replace").split())[:200]
            if error.code in _REFUSED:
                raise Refused(f"{error.code}: {text}") from None
            raise


def write(github: GitHub, repository: str, number: int, name: str, text: str) -> str:
    """Have one comment of a name with a text; what was done."""
    marker = f"<!-- kubestage {name} -->"
    limit = MOST_CHARACTERS - len(marker) - len(_CUT)
    shown = text if len(text) <= limit else text[:limit] + _CUT
    body = f"{marker}\n{shown}"
    for each in github.comments(repository, number):
        is_ours = (each.get("user") or {}).get("type") == "Bot"
        if is_ours and str(each.get("body") or "").startswith(marker):
            if each["body"] == body:
                return "unchanged"
            github.update(repository, each["id"], body)
            return "updated"
    github.create(repository, number, body)
    return "created"


def pull_request_number(event_file: str) -> int | None:
    """The pull request that a workflow runs for; None if it is another event."""
    event = json.loads(pathlib.Path(event_file).read_text(encoding="utf-8"))
    number = (event.get("pull_request") or {}).get("number")
    return number if isinstance(number, int) else None


def main(arguments: list[str] | None = None) -> int:
    """Comment as the variables of the workflow say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--file", required=True, help="the Markdown")
    parser.add_argument("--name", default="check", help="distinguishes several comments")
    options = parser.parse_args(arguments)
    missing = [
        name
        for name in ("GITHUB_TOKEN", "GITHUB_REPOSITORY", "GITHUB_EVENT_PATH")
        if not os.environ.get(name)
    ]
    if missing:
        print(f"Error: {', '.join(missing)} is not set: run it in GitHub Actions", file=sys.stderr)
        return 2
    number = pull_request_number(os.environ["GITHUB_EVENT_PATH"])
    if number is None:
        print("no pull request: no comment")
        return 0
    address = os.environ.get("GITHUB_API_URL") or "https://api.github.com"
    github = GitHub(address, os.environ["GITHUB_TOKEN"])
    text = pathlib.Path(options.file).read_text(encoding="utf-8")
    repository = os.environ["GITHUB_REPOSITORY"]
    try:
        done = write(github, repository, number, options.name, text)
    except Refused as error:
        why = "give the job the permission pull-requests: write; a fork's has none"
        print(f"::warning title=kubestage::the comment was refused ({error}); {why}")
        return 0
    print(f"comment {done}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
