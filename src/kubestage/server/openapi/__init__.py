"""OpenAPI v3 documents: an index, and one document a group and version.

kubectl reads them to explain, to compute patches, and before it creates or applies anything. The
schemas come from the definitions that the package `kubernetes_validate` carries, where it is
installed; from the type table otherwise; from the CustomResourceDefinition for custom resources.
The paths derive from discovery. Nothing is read or built before the first request.
"""
