"""A rule of one's own: no image may float."""


def fixed_tags(side):
    """Images have a tag, and it is not latest."""
    for name, workload in side.workloads.items():
        for pod in workload.pods[:1]:
            for container in pod["spec"]["containers"]:
                tag = container["image"].rpartition("/")[2].partition(":")[2]
                if tag in ("", "latest"):
                    yield name, f'container "{container["name"]}" runs whatever is newest'
