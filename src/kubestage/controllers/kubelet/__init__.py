"""The kubelet, one for all nodes of a stage.

It is notified of pods and nodes by the store, and moves each bound pod through its life in virtual
time: admission, images, containers, probes, restarts, the end. Pods are entities in stocks, and
every step of a pod's life is a movement at its time, so that a trace shows it. What a
container does inside is known where its program is modelled (`kubestage.programs`); otherwise how
long it takes and how it ends is read from annotations, or from the settings of the stage.

Here does not belong which node a pod goes to, nor what happens to the pods of an unreachable
node: the scheduler and the loops of kube-controller-manager decide that.
"""
