"""Input as people name it: manifests, Scenarios, configurations, plugins and settings in files.

Here belongs what finds, reads and checks it, and puts it into a cluster. Every error names the
file, the path in it and the likely fix.
"""
