"""Secrets that hold a token of a service account: filled in, and gone with their account."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Final

from kubestage.errors import Conflict, NotFound
from kubestage.objects import gvk
from kubestage.server.identity.issuer import LEGACY_ISSUER
from kubestage.store.collection import key_of
from kubestage.store.deletion import DeleteOptions
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.server.live import Live
    from kubestage.store.log import Change

_SECRET: Final = ("v1", "Secret")
_ACCOUNT: Final = ("v1", "ServiceAccount")
_TYPE: Final = "kubernetes.io/service-account-token"
_NAME: Final = "kubernetes.io/service-account.name"
_UID: Final = "kubernetes.io/service-account.uid"
_CLAIM: Final = "kubernetes.io/serviceaccount"
_MANAGER: Final = "kube-controller-manager"
_ROOT_CA: Final = "kube-root-ca.crt"


class TokenSecrets:
    """Follows accounts and Secrets of a cluster."""

    kinds: Final = frozenset({("", "Secret"), ("", "ServiceAccount")})

    def __init__(self, live: Live) -> None:
        self._live = live

    def start(self) -> None:
        """Handle what is there, and from now on every change."""
        for each in tuple(self._live.store.read(_SECRET).values()):
            self._handle(each)
        self._live.store.subscribe(self.on_change, self.kinds)

    def close(self) -> None:
        """Follow them no more."""
        self._live.store.unsubscribe(self.on_change)

    def on_change(self, change: Change) -> None:
        """Handle a Secret that came or was changed, and what remains of what is gone."""
        obj, is_gone = change.new, change.type == DELETED
        if change.kind.kind == "Secret":
            if is_gone:
                self._remove_reference(obj)
            else:
                self._handle(obj)
        elif is_gone:
            self._delete_tokens(obj["metadata"])

    def _handle(self, secret: Json) -> None:
        if secret.get("type") != _TYPE or "deletionTimestamp" in secret["metadata"]:
            return
        account = self._account_of(secret)
        if account is None:
            self._delete(secret)
            return
        data = dict(secret.get("data") or {})
        namespace = secret["metadata"]["namespace"]
        root_ca = _encoded(self._root_ca(namespace))
        if data.get("token") and data.get("namespace") and data.get("ca.crt") == root_ca:
            return
        data["ca.crt"] = root_ca
        data["namespace"] = data.get("namespace") or _encoded(namespace)
        data["token"] = data.get("token") or _encoded(self._token(secret, account))
        known = {_NAME: account["metadata"]["name"], _UID: account["metadata"]["uid"]}
        annotations = {**(secret["metadata"].get("annotations") or {}), **known}
        metadata = {**secret["metadata"], "annotations": annotations}
        self._live.store.update({**secret, "metadata": metadata, "data": data}, manager=_MANAGER)

    def _account_of(self, secret: Json) -> Json | None:
        metadata = secret["metadata"]
        annotations = metadata.get("annotations") or {}
        key = key_of(metadata["namespace"], annotations.get(_NAME) or "")
        account = self._live.store.read(_ACCOUNT).get(key)
        uid = annotations.get(_UID)
        if account is None or (uid and account["metadata"]["uid"] != uid):
            return None
        return account

    def _root_ca(self, namespace: str) -> str:
        """What pods of a namespace trust the API server by."""
        published = self._live.store.read(gvk.CONFIG_MAP).get(key_of(namespace, _ROOT_CA))
        found: str | None = ((published or {}).get("data") or {}).get("ca.crt")
        return found or self._live.issuer.authority.certificate

    def _token(self, secret: Json, account: Json) -> str:
        namespace, name = account["metadata"]["namespace"], account["metadata"]["name"]
        return self._live.issuer.sign(
            {
                "iss": LEGACY_ISSUER,
                f"{_CLAIM}/namespace": namespace,
                f"{_CLAIM}/secret.name": secret["metadata"]["name"],
                f"{_CLAIM}/service-account.name": name,
                f"{_CLAIM}/service-account.uid": account["metadata"]["uid"],
                "sub": f"system:serviceaccount:{namespace}:{name}",
            }
        )

    def _delete_tokens(self, account: Json) -> None:
        for secret in tuple(self._live.store.read(_SECRET).values()):
            annotations = secret["metadata"].get("annotations") or {}
            if (
                secret.get("type") == _TYPE
                and secret["metadata"]["namespace"] == account["namespace"]
                and annotations.get(_NAME) == account["name"]
                and annotations.get(_UID) == account["uid"]
            ):
                self._delete(secret)

    def _delete(self, secret: Json) -> None:
        metadata = secret["metadata"]
        options = DeleteOptions(uid=metadata["uid"])
        try:
            self._live.store.delete(_SECRET, metadata["name"], metadata["namespace"], options)
        except (NotFound, Conflict):
            return

    def _remove_reference(self, secret: Json) -> None:
        """Take a Secret that is gone out of those of its account."""
        account = self._account_of(secret) if secret.get("type") == _TYPE else None
        held = (account or {}).get("secrets") or []
        others = [each for each in held if each.get("name") != secret["metadata"]["name"]]
        if account is not None and len(others) != len(held):
            changed = {**account, "secrets": others}
            self._live.store.update(changed, manager=_MANAGER)


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()
