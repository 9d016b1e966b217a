"""An API that another server serves, as far as it is known."""

from __future__ import annotations

import asyncio
import base64
import dataclasses
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from kubestage.aliases import Json


class Backend(NamedTuple):
    """The port of a Service behind which an API server is."""

    namespace: str
    name: str
    port: int

    @property
    def key(self) -> str:
        """The key of the Service."""
        return f"{self.namespace}/{self.name}"

    @property
    def host(self) -> str:
        """The name that the certificate of the API server must be valid for."""
        return f"{self.name}.{self.namespace}.svc"


@dataclasses.dataclass(slots=True)
class RemoteApi:
    """A group and version, the APIService that registers it, and what was found out of it."""

    name: str
    uid: str
    spec: Json
    # The version as aggregated discovery has it, without its freshness; None if it is not known.
    discovery: Json | None = None
    is_fresh: bool = False
    # The path of its OpenAPI document, with the hash; empty if it has none.
    openapi: str = ""
    # Whether this server answers in the place of a program that a simulated pod would run.
    is_modelled: bool = False
    # The condition that was reported last.
    condition: Json = dataclasses.field(default_factory=dict)
    changed: asyncio.Event = dataclasses.field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None

    @property
    def group(self) -> str:
        """The group; never the core one."""
        group: str = self.spec["group"]
        return group

    @property
    def version(self) -> str:
        """The version."""
        version: str = self.spec["version"]
        return version

    @property
    def path(self) -> str:
        """The path of the group and version."""
        return f"/apis/{self.group}/{self.version}"

    @property
    def backend(self) -> Backend:
        """Where its server is."""
        service = self.spec["service"]
        return Backend(service["namespace"], service["name"], service.get("port") or 443)

    @property
    def bundle(self) -> bytes:
        """The authorities of its server's certificate, in PEM; none are those of the machine."""
        return base64.b64decode(self.spec.get("caBundle") or "")

    @property
    def is_insecure(self) -> bool:
        """Whether any certificate is accepted."""
        return bool(self.spec.get("insecureSkipTLSVerify"))
