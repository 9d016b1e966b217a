"""From a rendered configuration to a checked `Config`.

Keys match as Go's JSON decoder matches them, in ClusterLoader2's spelling and in that of the
vision it grew from; modules are flattened; everything that is wrong is reported at once, with its
place and the likely fix. Nothing here renders: that is templating's.
"""
