"""By which names a pod knows itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.programs import records

if TYPE_CHECKING:
    from kubestage.aliases import Json

_LONGEST: Final = 63
_DOMAIN: Final = f"svc.{records.DOMAIN}"
DNS: Final = "10.96.0.10"
"""The address of the cluster's DNS server."""
NODE_FILE: Final = "127.0.0.1\tlocalhost\n"
"""The file /etc/hosts of a node."""
_HEAD_OF_NODE: Final = "# Kubernetes-managed hosts file (host network).\n"
_HEAD: Final = (
    "# Kubernetes-managed hosts file.\n"
    "127.0.0.1\tlocalhost\n"
    "::1\tlocalhost ip6-localhost ip6-loopback\n"
    "fe00::0\tip6-localnet\n"
    "fe00::0\tip6-mcastprefix\n"
    "fe00::1\tip6-allnodes\n"
    "fe00::2\tip6-allrouters\n"
)


def name_of(pod: Json) -> str:
    """What ``hostname`` prints."""
    spec, name = pod["spec"], pod["metadata"]["name"]
    if spec.get("hostNetwork"):
        return str(spec.get("nodeName") or name)
    if spec.get("setHostnameAsFQDN"):
        return full_name_of(pod)
    return _short(pod)


def full_name_of(pod: Json) -> str:
    """What ``hostname -f`` prints: a domain belongs to it if the pod has a subdomain."""
    subdomain = pod["spec"].get("subdomain")
    short = _short(pod)
    return f"{short}.{subdomain}.{pod['metadata']['namespace']}.{_DOMAIN}" if subdomain else short


def addresses_of(pod: Json) -> list[str]:
    """The addresses of a pod."""
    return [each["ip"] for each in (pod.get("status") or {}).get("podIPs") or ()]


def file_of(pod: Json) -> str:
    """The file /etc/hosts that the kubelet writes."""
    aliases = "".join(
        f"{each['ip']}\t{'	'.join(each.get('hostnames') or ())}\n"
        for each in pod["spec"].get("hostAliases") or ()
    )
    heading = "\n# Entries added by HostAliases.\n" if aliases else ""
    if pod["spec"].get("hostNetwork"):
        return f"{_HEAD_OF_NODE}{NODE_FILE}{heading}{aliases}"
    full, short = full_name_of(pod), _short(pod)
    names = short if full == short else f"{full}\t{short}"
    lines = "".join(f"{address}\t{names}\n" for address in addresses_of(pod))
    return f"{_HEAD}{lines}{heading}{aliases}"


def resolver_of(pod: Json) -> str:
    """The file /etc/resolv.conf that the kubelet writes."""
    spec, stated = pod["spec"], pod["spec"].get("dnsConfig") or {}
    servers = list(stated.get("nameservers") or ())
    searches = list(stated.get("searches") or ())
    options = [_option(each) for each in stated.get("options") or ()]
    if spec.get("dnsPolicy", "ClusterFirst") in ("ClusterFirst", "ClusterFirstWithHostNet"):
        own = f"{pod['metadata']['namespace']}.{_DOMAIN}"
        searches = [own, _DOMAIN, _DOMAIN.partition(".")[2], *searches]
        servers = [DNS, *servers]
        options = ["ndots:5", *(each for each in options if not each.startswith("ndots:"))]
        if stated.get("options"):
            values = [_option(each) for each in stated["options"]]
            options = values if any(each.startswith("ndots:") for each in values) else options
    lines = [f"nameserver {each}" for each in servers]
    if searches:
        lines.insert(0, f"search {' '.join(searches)}")
    if options:
        lines.append(f"options {' '.join(options)}")
    return "".join(f"{line}\n" for line in lines)


def _option(option: Json) -> str:
    value = option.get("value")
    return option["name"] if value is None else f"{option['name']}:{value}"


def _short(pod: Json) -> str:
    name: str = pod["spec"].get("hostname") or pod["metadata"]["name"]
    return name[:_LONGEST].rstrip("-.")
