"""Real clusters: the port of kubestage.cluster.access over HTTP, in real time.

Here belong kubeconfigs, connections, watches that are taken up again, and the loop that calls
whoever asked to be called at a time. What is asked of a cluster belongs to load and measure.
"""
