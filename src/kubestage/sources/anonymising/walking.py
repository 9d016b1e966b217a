"""Walks over an object and replaces what its fields hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.sources.anonymising import fields, label_rules, node_classes, values

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.sources.anonymising.replaced_names import ReplacedNames

_LATEST: Final = ":latest"
# Their names are made of the kind that they define.
_NAMED_BY_RULE: Final = frozenset({"CustomResourceDefinition", "CSIDriver"})
# A CSINode has the name of its node.
_CATEGORIES: Final = {"CSINode": "node"}
_HIDDEN_KIND: Final = "Hidden"
_HIDDEN_VERSION: Final = "hidden.example/v1"
_CONTENT: Final = frozenset({"ConfigMap", "Secret"})


class Walker:
    """Replaces the parts of objects; while names are collected, it returns them as they are."""

    def __init__(self, names: ReplacedNames) -> None:
        self._names = names
        self._is_open = False
        self._fields = self._handlers()

    def object(self, obj: Json, kind: str, group: str) -> Json:
        """An object, or a patch of one."""
        self._is_open = group in fields.OPEN_GROUPS
        if kind == "CustomResourceDefinition":
            return {**obj, "metadata": {"name": obj["metadata"]["name"]}}
        if (group, kind) == node_classes.KIND:
            return node_classes.anonymised(obj, lambda found: self._metadata(found, kind))
        if kind == "ResourceSlice":
            return self._slice(obj, kind)
        if kind == "StatefulSet":
            self._claim_templates(obj)
        result = {key: self._field(key, value, "") for key, value in obj.items()
                  if key != "metadata" and key not in fields.DROPPED}  # fmt: skip
        if "metadata" in obj:
            result["metadata"] = self._metadata(obj["metadata"], kind)
        if "data" in obj and kind not in _CONTENT:
            # What a ControllerRevision holds is a template.
            result["data"] = self._inner(obj["data"], "data")
        return result

    def _metadata(self, found: Any, kind: str) -> Any:
        if not isinstance(found, dict):
            return found
        category = _CATEGORIES.get(kind, kind.lower())
        result = {}
        for key, value in found.items():
            if key == "name" and isinstance(value, str):
                named = kind in _NAMED_BY_RULE
                result[key] = value if named else self._names.name(category, value)
            elif key == "generateName" and isinstance(value, str):
                result[key] = f"{self._names.name(category, value.rstrip('-'))}-"
            else:
                result[key] = self._field(key, value, "metadata")
        return result

    def _field(self, key: str, value: Any, parent: str) -> Any:
        """What a field holds; None where the field is dropped."""
        handler = self._fields.get(key)
        if handler is not None:
            return handler(value)
        if isinstance(value, bool | int | float) or value is None or key in fields.KEPT:
            return value if not isinstance(value, dict | list) else self._inner(value, key)
        if isinstance(value, dict | list):
            return self._inner(value, key)
        if fields.TIME.fullmatch(key):
            return value
        if key == "name":
            return self._name(value, parent)
        return value if self._is_open else self._names.hashed(value)

    def _inner(self, value: Any, key: str) -> Any:
        if isinstance(value, list):
            return [self._item(each, key) for each in value]
        if not isinstance(value, dict):
            return value
        if "key" in value and key != "labels":
            value = label_rules.requirement(value, self._names)
            kept = {each: value[each] for each in ("key", "value", "values") if each in value}
            rest = {each: value[each] for each in value if each not in kept}
            return {**self._mapped(rest, key), **kept}
        return self._mapped(value, key)

    def _item(self, each: Any, key: str) -> Any:
        if isinstance(each, dict | list):
            return self._inner(each, key)
        return self._field(key, each, key)

    def _mapped(self, value: Json, parent: str) -> Json:
        kind = value.get("kind")
        is_reference = isinstance(kind, str) and isinstance(value.get("name"), str)
        is_private = is_reference and values.is_private(value)
        category = _HIDDEN_KIND.lower() if is_private else str(kind).lower()
        result = {}
        for key, each in value.items():
            if key in fields.DROPPED:
                continue
            if is_reference and key == "name":
                result[key] = self._names.name(category, each)
            else:
                result[key] = self._field(key, each, parent)
        if is_private:
            result |= {"kind": _HIDDEN_KIND, "apiVersion": _HIDDEN_VERSION}
        return result

    def _name(self, value: str, parent: str) -> str:
        if parent in fields.NAME_KEPT_IN:
            return value
        if parent == "ports":
            return self._names.port(value)
        return self._names.name(fields.NAME_IN.get(parent, parent.lower() or "name"), value)

    def _handlers(self) -> dict[str, Callable[[Any], Any]]:
        names = self._names
        table: dict[str, Callable[[Any], Any]] = {
            "annotations": self._annotations,
            "selector": self._selector,
            "metadata": lambda value: self._metadata(value, "template"),
            "finalizers": values.public_finalizers,
            "type": lambda value: values.text(value, self._qualified),
            "conditionType": lambda value: values.text(value, self._qualified),
            "volumeClaimTemplates": lambda value: values.each(value, self._claim_template),
            "uncountedTerminatedPods": self._uids,
            "volumes": lambda value: values.each(value, self._volume),
            "ports": lambda value: values.each(value, self._port),
            "names": lambda value: values.each(value, self._image),
            "image": self._image,
            "uid": lambda value: values.text(value, names.uid),
            "providerID": lambda value: values.text(value, self._provider),
            "addresses": lambda value: values.each(value, self._address),
            "namespaces": lambda value: values.each(
                value, lambda each: names.name("namespace", each)
            ),
            "scopeSelector": self._scopes,
            "pool": lambda value: values.text(value, self._pool) or self._inner(value, "pool"),
        }
        for key in fields.LABEL_MAPS:
            table[key] = self._labels
        for key in fields.LABEL_KEYS:
            table[key] = lambda value: values.each_text(
                value, lambda each: label_rules.key(each, names)
            )
        for key in fields.QUANTITIES:
            table[key] = self._quantities
        for key in fields.PROBES:
            table[key] = self._probe
        for key in fields.ADDRESSES:
            table[key] = lambda value: values.each_text(value, names.address)
        for key, category in fields.NAMES.items():
            table[key] = lambda value, of=category: (  # type: ignore[misc]
                value if value == "*" else values.text(value, lambda each: names.name(of, each))
            )
        return table

    def _labels(self, value: Any) -> Any:
        if isinstance(value, dict) and "nodeSelectorTerms" in value:
            return self._inner(value, "nodeSelector")
        return label_rules.mapping(value, self._names)

    def _selector(self, value: Any) -> Any:
        """A LabelSelector; of Services and ReplicationControllers a map of labels."""
        if not isinstance(value, dict) or {"matchLabels", "matchExpressions"} & value.keys():
            return self._inner(value, "selector")
        return label_rules.mapping(value, self._names)

    def _annotations(self, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return {
            key: self._names.name(fields.ANNOTATION_NAMES[key], text)
            if key in fields.ANNOTATION_NAMES
            else text
            for key, text in value.items()
            if fields.ANNOTATIONS.fullmatch(key)
        }

    def _volume(self, volume: Any) -> Any:
        if not isinstance(volume, dict):
            return volume
        source = {key: value for key, value in volume.items() if key in fields.VOLUME_SOURCES}
        named = {"name": self._names.name("volume", str(volume.get("name") or ""))}
        return {**named, **(self._mapped(source, "volumes") if source else {"emptyDir": {}})}

    def _claim_template(self, template: Any) -> Any:
        if not isinstance(template, dict):
            return template
        rest = {key: value for key, value in template.items() if key != "metadata"}
        return {
            "metadata": self._metadata(template.get("metadata"), "volume"),
            **self._mapped(rest, "volumeClaimTemplates"),
        }

    def _uids(self, value: Any) -> Any:
        """Uids of pods by how they ended."""
        listed = value if isinstance(value, dict) else {}
        return {key: values.each(uids, self._names.uid) for key, uids in listed.items()}

    def _port(self, port: Any) -> Any:
        if not isinstance(port, dict):
            return port
        result = self._mapped(port, "ports")
        if isinstance(port.get("targetPort"), str):
            result["targetPort"] = self._names.port(port["targetPort"])
        return result

    def _qualified(self, text: str) -> str:
        """A word of Kubernetes; one with a prefix, such as a readiness gate, may be private."""
        return label_rules.key(text, self._names) if "/" in text else text

    def _probe(self, probe: Any) -> Any:
        """The times of a probe; what it connects to is of no interest."""
        if not isinstance(probe, dict):
            return probe
        times = {key: value for key, value in probe.items() if isinstance(value, int)}
        return {**times, "tcpSocket": {"port": 1}}

    def _image(self, value: Any) -> Any:
        """An image; one without a tag is the one with the tag latest."""
        if not isinstance(value, str) or not value:
            return value
        whole = value if value.rfind(":") > value.rfind("/") else f"{value}{_LATEST}"
        name = self._names.name("image", whole)
        if name == whole:
            return value
        return f"{name}{_LATEST if whole.endswith(_LATEST) else ':v1'}"

    def _provider(self, text: str) -> str:
        scheme, _, rest = text.partition("://")
        return f"{scheme}:///{self._names.hashed(rest)}"

    def _address(self, address: Any) -> Any:
        if not isinstance(address, dict) or not isinstance(address.get("address"), str):
            return address
        text = address["address"]
        is_node = self._names.is_known("node", text)
        replaced = self._names.name("node", text) if is_node else self._names.address(text)
        return {**address, "address": replaced}

    def _quantities(self, value: Any) -> Any:
        """Amounts stay; a quota's resource may have the name of a StorageClass in it."""
        if not isinstance(value, dict):
            return self._inner(value, "requests")
        if {"kind", "name"} <= value.keys():
            return self._mapped(value, "target")
        result = {}
        for key, amount in value.items():
            name, separator, rest = key.partition(".storageclass.storage.k8s.io/")
            of = f"{self._names.name('storageclass', name)}{separator}{rest}" if separator else key
            result[of] = self._inner(amount, key) if isinstance(amount, dict) else amount
        return result

    def _scopes(self, value: Any) -> Any:
        """The scopes of a quota; the values of one are the names of PriorityClasses."""
        listed = value.get("matchExpressions") if isinstance(value, dict) else None
        found = [dict(each) for each in listed or ()]
        for each in found:
            if each.get("values"):
                each["values"] = [
                    self._names.name("priorityclass", name) for name in each["values"]
                ]
        return {"matchExpressions": found}

    def _pool(self, text: str) -> str:
        return self._names.name("node" if self._names.is_known("node", text) else "pool", text)

    def _slice(self, obj: Json, kind: str) -> Json:
        """A ResourceSlice: devices are facts about hardware, and selectors compare them."""
        spec = dict(obj.get("spec") or {})
        devices = spec.pop("devices", None)
        pool = spec.pop("pool", None)
        result = {
            **{key: obj[key] for key in ("apiVersion", "kind")},
            "metadata": self._metadata(obj["metadata"], kind),
            "spec": self._mapped(spec, "spec"),
        }
        if isinstance(pool, dict):
            result["spec"]["pool"] = {**pool, "name": self._pool(str(pool.get("name") or ""))}
        if devices is not None:
            result["spec"]["devices"] = devices
        return result

    def _claim_templates(self, obj: Json) -> None:
        spec, name = obj.get("spec"), obj.get("metadata", {}).get("name")
        listed = spec.get("volumeClaimTemplates") if isinstance(spec, dict) else None
        for each in listed or ():
            template = each.get("metadata", {}).get("name") if isinstance(each, dict) else None
            if isinstance(template, str) and isinstance(name, str):
                self._names.name("volume", template)
                self._names.claim_template(template, name)
