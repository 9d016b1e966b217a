"""A server at an address, called as if it were an application in this process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    import httpx


class OverHttp:
    """Sends each request over the network and hands on what comes back."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client = client

    async def __call__(
        self,
        scope: dict[str, Any],
        receive: Callable[[], Awaitable[Any]],
        send: Callable[[Any], Awaitable[None]],
    ) -> None:
        """Serve one request as ASGI has it."""
        body = b"" if scope["method"] == "GET" else (await receive())["body"]
        path = quote(scope["path"], safe="/:@!$&'()*+,;=-._~")
        query = scope["query_string"].decode()
        request = self._client.build_request(
            scope["method"],
            f"{path}?{query}" if query else path,
            headers=scope["headers"],
            content=body,
        )
        if not any(name == b"content-type" for name, _ in scope["headers"]):
            request.headers.pop("content-type", None)
        answer = await self._client.send(request, stream=True)
        headers = [(name.lower(), value) for name, value in answer.headers.raw]
        status = answer.status_code
        await send({"type": "http.response.start", "status": status, "headers": headers})
        async for chunk in answer.aiter_raw():
            await send({"type": "http.response.body", "body": chunk})
        await answer.aclose()
