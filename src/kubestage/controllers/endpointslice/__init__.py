"""The EndpointSlice controller: which addresses stand behind a Service.

`loop` handles Services, pods, nodes and slices. `service_pods` keeps which pods of a Service
changed since its last sync, so that a sync costs what changed and not what exists; `pod_endpoint`
and `service_ports` make an endpoint of a pod, `slice_group` packs endpoints into slices,
`slice_manifest` writes a slice down, `trigger_times` finds when the first change happened. The
older Endpoints objects have their own loop beside this folder and share these parts. `mirroring`
is the loop for Endpoints of Services without a selector, and `mirrored` the slices it writes.
"""
