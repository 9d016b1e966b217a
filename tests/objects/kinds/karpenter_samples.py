"""Karpenter's objects, as small as they can be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kubestage.aliases import Json

CLASS_REF = {"group": "kubestage.dev", "kind": "StageNodeClass", "name": "default"}


def node_pool(name: str = "default", **spec: Any) -> Json:
    template = {"spec": {"nodeClassRef": dict(CLASS_REF), "requirements": []}}
    return {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": {"name": name},
        "spec": {"template": template, **spec},
    }


def node_claim(name: str = "default-1", **spec: Any) -> Json:
    return {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodeClaim",
        "metadata": {"name": name},
        "spec": {"nodeClassRef": dict(CLASS_REF), "requirements": [], **spec},
    }


def node_overlay(name: str = "dear", **spec: Any) -> Json:
    return {
        "apiVersion": "karpenter.sh/v1alpha1",
        "kind": "NodeOverlay",
        "metadata": {"name": name},
        "spec": {"requirements": [], **spec},
    }


def ec2_node_class(name: str = "default", **spec: Any) -> Json:
    return {
        "apiVersion": "karpenter.k8s.aws/v1",
        "kind": "EC2NodeClass",
        "metadata": {"name": name},
        "spec": {
            "role": "nodes",
            "amiSelectorTerms": [{"alias": "al2023@latest"}],
            "subnetSelectorTerms": [{"tags": {"team": "a"}}],
            "securityGroupSelectorTerms": [{"tags": {"team": "a"}}],
            **spec,
        },
    }


def stage_node_class(name: str = "default", **spec: Any) -> Json:
    return {
        "apiVersion": "kubestage.dev/v1alpha1",
        "kind": "StageNodeClass",
        "metadata": {"name": name},
        "spec": spec,
    }
