"""What does a stricter namespace do to existing and to new pods?"""

from __future__ import annotations

import pathlib
from typing import Final

from kubestage import Stage
from kubestage.objects import manifest

NAMESPACE: Final = ("v1", "Namespace")
POD: Final = ("v1", "Pod")
DEPLOYMENT: Final = ("apps/v1", "Deployment")
EVENT: Final = ("v1", "Event")
ENFORCE: Final = "pod-security.kubernetes.io/enforce"


def enforce(stage: Stage, level: str, *, dry_run: bool) -> list[str]:
    """Label the namespace, or only return the warnings that this would cause."""
    warnings: list[str] = []
    labels = {"metadata": {"labels": {ENFORCE: level}}}
    stage.store.patch(NAMESPACE, "shop", labels, dry_run=dry_run, warnings=warnings)
    return warnings


def main() -> None:
    """Run dry first, then enforce a level, and scale up."""
    stage = Stage(seed=1)
    stage.add_scheduler()
    stage.add_controllers()
    documents = manifest.load_text(pathlib.Path("shop.yaml").read_text(), "shop.yaml")
    stage.apply(document.object for document in documents)
    stage.run("1m")

    for level in ("baseline", "restricted"):
        print(f"If the namespace enforced {level}:")
        for warning in enforce(stage, level, dry_run=True):
            print(f"  {warning}")

    enforce(stage, "restricted", dry_run=False)
    running = stage.store.list(POD, "shop", field_selector="status.phase=Running").items
    print(f"Enforced. Running pods are kept: {len(running)}.")

    stage.store.patch(DEPLOYMENT, "web", {"spec": {"replicas": 4}}, "shop")
    stage.store.patch(DEPLOYMENT, "checkout", {"spec": {"replicas": 4}}, "shop")
    stage.run("1m")
    for name in ("web", "checkout"):
        status = stage.store.get(DEPLOYMENT, name, "shop")["status"]
        print(f"{name}: {status['readyReplicas']} of 4 pods are ready")
    refused = stage.store.list(EVENT, "shop", field_selector="reason=FailedCreate").items
    print(refused[0]["message"].partition("violates ")[2])


if __name__ == "__main__":
    main()
