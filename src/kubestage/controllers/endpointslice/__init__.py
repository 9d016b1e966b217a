"""The EndpointSlice controller: which addresses stand behind a Service.

`loop` hears of Services, pods, nodes and slices. `service_pods` keeps which pods of a Service
changed since it was last looked at, so that a look costs what changed and not what is there;
`pod_endpoint` and `service_ports` make an endpoint of a pod, `slice_group` packs endpoints into
slices, `slice_manifest` writes a slice down, `trigger_times` tells when all this began. The older
Endpoints objects have their own loop beside this folder and share these parts.
"""
