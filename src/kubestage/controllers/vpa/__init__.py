"""The vertical pod autoscaler 1.8: a recommender, an updater, and what it admits pods with.

The parts from `buckets` to `recommending` know neither a store nor a clock: a caller that has
usage, from wherever, can drive them (see `backtest`). `loop` is where they meet the cluster: it
feeds the recommender from the metrics board, writes recommendations into VerticalPodAutoscalers,
evicts or resizes pods that ask for too much or too little, and gives new pods what is recommended.
"""
