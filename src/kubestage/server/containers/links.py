"""Links in what a proxied server answers: those to its own paths lead through the proxy."""

from __future__ import annotations

import html
import html.parser
import posixpath
import urllib.parse
from typing import Final

_LINKS: Final = {
    "a": ("href",), "applet": ("codebase",), "area": ("href",), "audio": ("src",),
    "base": ("href",), "blockquote": ("cite",), "body": ("background",),
    "button": ("formaction",), "command": ("icon",), "del": ("cite",), "embed": ("src",),
    "form": ("action",), "frame": ("longdesc", "src"), "head": ("profile",),
    "html": ("manifest",), "iframe": ("longdesc", "src"), "img": ("longdesc", "src", "usemap"),
    "input": ("src", "usemap", "formaction"), "ins": ("cite",), "link": ("href",),
    "object": ("classid", "codebase", "data", "usemap"), "q": ("cite",), "script": ("src",),
    "source": ("src",), "video": ("poster", "src"),
}  # fmt: skip
"""Which attributes of which elements are links."""


class Links:
    """Rewrites links below a prefix: the path of the proxy.

    `host` is what the client called this server, `own` what the proxied server is called.
    """

    def __init__(self, prefix: str, host: str, own: str) -> None:
        self._prefix = prefix
        self._host = host
        self._own = own

    def through(self, link: str) -> str:
        """A link as it leads through the proxy; those to elsewhere and relative ones stay."""
        try:
            parts = urllib.parse.urlsplit(link)
        except ValueError:
            return link
        is_elsewhere = parts.netloc not in ("", self._host, self._own)
        if is_elsewhere or not parts.path.startswith("/"):
            return link
        if parts.netloc != self._host:
            parts = parts._replace(scheme="", netloc="")
        if not parts.path.startswith(self._prefix):
            slash = "/" if parts.path.endswith("/") else ""
            path = posixpath.normpath(f"{self._prefix}/{parts.path}")
            parts = parts._replace(path=path.rstrip("/") + slash)
        return urllib.parse.urlunsplit(parts)

    def in_page(self, body: bytes) -> bytes:
        """A page with its links rewritten; all else stays as it is, byte for byte."""
        text = body.decode("utf-8", "surrogateescape")
        finder = _StartTags(text)
        finder.feed(text)
        finder.close()
        written, end = [], 0
        for at, raw, name, attributes in finder.found:
            written += [text[end:at], self._tag(raw, name, attributes)]
            end = at + len(raw)
        return "".join([*written, text[end:]]).encode("utf-8", "surrogateescape")

    def _tag(self, raw: str, name: str, attributes: list[tuple[str, str]]) -> str:
        links = _LINKS.get(name, ())
        shown = "".join(
            f' {key}="{_escaped(self.through(value) if key in links else value)}"'
            for key, value in attributes
        )
        return f"<{name}{shown}{'/' if raw.endswith('/>') else ''}>"


class _StartTags(html.parser.HTMLParser):
    """Where the start tags of a page are."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[int, str, str, list[tuple[str, str]]]] = []
        self._lines = [0]
        for line in text.split("\n"):
            self._lines.append(self._lines[-1] + len(line) + 1)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep one."""
        line, column = self.getpos()
        raw = self.get_starttag_text() or ""
        stated = [(name, value or "") for name, value in attrs]
        self.found.append((self._lines[line - 1] + column, raw, tag, stated))


def _escaped(value: str) -> str:
    return html.escape(value).replace("&quot;", "&#34;").replace("&#x27;", "&#39;")
