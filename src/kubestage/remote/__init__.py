"""Real clusters: the port of kubestage.cluster.access over HTTP, in real time.

Here belong kubeconfigs, connections, watches that are taken up again, and the loop that calls
callbacks at their times. What is requested of a cluster belongs to load and measure.
"""
