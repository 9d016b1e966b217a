"""From the options of a server to a cluster that is served.

`serving.serve` opens or creates the cluster, puts the objects of files on it, prepares certificate,
token and kubeconfig, and runs the server until it is stopped.
"""
