"""The kubelet, one for all nodes of a stage.

It hears of pods and nodes from the store, and carries each bound pod through its life in virtual
time: admission, images, containers, probes, restarts, the end. Pods are entities in stocks, and
every turn of a pod's life is a movement at its time, so that a trace shows how pods live. What a
container does inside is not simulated: how long it takes and how it ends is read from annotations,
or from the settings of the stage (`settings`).

Here does not belong which node a pod goes to, nor what becomes of the pods of a node that is
silent: that is the business of the scheduler and of the loops of kube-controller-manager.
"""
