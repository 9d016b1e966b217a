"""Discovery, which describes to clients what the server serves: groups, versions, resources, verbs.

Pure functions from a kind table to the documents of ``/api`` and ``/apis``, in the older form (one
request a group and version) and in the aggregated one (everything at once). They are computed
again at each call: a CustomResourceDefinition adds to the table and takes away while clients look.

What does not belong here: HTTP, and any kind that the table or `unstored` does not name.
"""
