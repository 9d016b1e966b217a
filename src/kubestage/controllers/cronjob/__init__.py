"""CronJobs: a Job for every moment of a schedule.

Here belongs what the loop of CronJobs decides: which moment is due, was missed or is next
(`due`), whether a Job may be started for it beside those that still run, and which Jobs of the
past are kept (`loop`, `status`). What a schedule means is vocabulary and is not here, nor is how
Jobs run.
"""
