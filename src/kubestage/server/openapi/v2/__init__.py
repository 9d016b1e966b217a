"""``/openapi/v2``: one document of all kinds in Swagger 2.0, as JSON and as gnostic's protobuf.

It says what the documents of version 3 say, in the words that the older form has; custom resources
lose what it has no words for. Old clients read it, kubectl checks lists against it, and
`kubectl explain --output plaintext-openapiv2` shows it. It is made of parts: the built-in groups
together, and each group and version of custom resources, so that a changed definition costs one.
"""
