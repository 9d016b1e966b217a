"""The scheduling queue: which pod is tried next, and when one that failed is tried again.

Here belong the active queue, the two backoff queues, the pool of pods that nothing can be done
for at present (gated ones included), and the queueing hints that bring them back when the cluster
changes in a way that may help. Time is the virtual clock's. Here does not belong scheduling
itself, nor the interpretation of changes (`scheduler.event_handlers`).
"""

from kubestage.scheduler.queue.hints import QueueingHints
from kubestage.scheduler.queue.queued_pod import QueuedPod
from kubestage.scheduler.queue.scheduling_queue import SchedulingQueue

__all__ = ["QueuedPod", "QueueingHints", "SchedulingQueue"]
