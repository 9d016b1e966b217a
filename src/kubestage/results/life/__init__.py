"""The record of a living run: what traffic, autoscalers and nodes did while time passed.

A `LifeRecorder` listens to the store and looks at the cluster from time to time; at the end it
gives a `Life`: tables, decisions and a summary, as a value that can be kept. Charts and pages are
made of it elsewhere.
"""

from __future__ import annotations
