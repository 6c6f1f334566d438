"""The tables of an owner's archive: at most one, and the files that belong in it.

`pieces` is how many objects of R2 hold a file's text; a file with a `stored` key is that object instead.
"""

ARCHIVE_SCHEMA: tuple[str, ...] = (
    """CREATE TABLE archive (
        one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL, state TEXT NOT NULL,
        created_ms INTEGER NOT NULL, until_ms INTEGER NOT NULL, left_out INTEGER NOT NULL,
        failures INTEGER NOT NULL DEFAULT 0, size INTEGER)""",
    """CREATE TABLE archive_files (
        n INTEGER PRIMARY KEY, name TEXT NOT NULL, kind TEXT NOT NULL, subject TEXT NOT NULL,
        stored TEXT NOT NULL, made INTEGER NOT NULL DEFAULT 0, pieces INTEGER NOT NULL DEFAULT 0,
        size INTEGER, sha256 TEXT)""",
)
