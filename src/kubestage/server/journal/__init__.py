"""What is served survives the process: a journal of all objects in a data directory.

What belongs here: the files of the directory, what is written to them and when it is safe, and how
a stage comes back from them. What does not belong here: any rule about an object, and what a
snapshot for another cluster looks like.

The directory (mode 0700, its files 0600) holds

- ``journal.sqlite3``: the objects as they are, and the state of the whole, in SQLite with a
  write-ahead log (``-wal`` beside it while it is open);
- ``committed``: the number of the newest commit that is known to be safe. It is written after the
  commit, so a journal that knows of fewer commits has lost some;
- ``lock``: held by the process that serves the directory, and its number.

Changes are written in batches. A batch is safe when SQLite reports that it is on disk
(``synchronous`` is FULL: a crash of the process, of the machine or of the power loses nothing that
is safe), and only then do clients see it. Under relaxed durability they see all at once, and it is
written soon after: the last moments may be lost. Versions are reserved ahead, so that none is given
out twice either way.
"""
