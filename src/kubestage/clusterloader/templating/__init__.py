"""ClusterLoader2's templates: its functions on Go's ``text/template``, and its check of them.

A file becomes objects in three steps: the template is run (`functions`), what came out is checked
against strings that would change its structure (`safety`), and read as YAML (`documents`). Here
nothing is known of what a configuration means; reading it belongs to `reading`.
"""
