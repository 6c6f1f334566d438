"""Every number that computerd keeps to, in one place.

The first group are promises to the caller; the second bounds what one connection or one file
may cost; the third is about ending processes. docs/computer.md shows the same figures.
"""

COMMANDS_AT_ONCE = 8
"""BotComputer's own limit is lower; this one only bounds the damage of a caller gone wrong."""
COMMAND_BYTES = 1024 * 1024
TIMEOUT_DEFAULT_S = 120.0
TIMEOUT_MAX_S = 600.0
HEARTBEAT_S = 5.0
LOG_BYTES = 64 * 1024 * 1024
RESULTS_KEPT = 256
LOGS_KEPT = 500
LOGS_BYTES = 512 * 1024 * 1024
"""Over one of these the oldest logs of ended commands are removed."""
LOGS_PRUNED_EVERY = 16
"""Commands between two looks at the logs."""
WORKSPACE_BYTES = 5 * 1024 * 1024 * 1024
"""The blocks of the workspace and the home folder together."""
SPACE_LOOK_S = 0.5
"""Between two looks at how much has been written, while commands run."""
SPACE_GRAIN_BYTES = 1024 * 1024
"""What a command may add to a workspace that is full already: less is noise."""
SPACE_SILENCE_S = 120.0
"""How long a walk may take."""
READ_LINES = 2000
READ_LINE_CHARACTERS = 2000
READ_TEXT_CHARACTERS = 400_000
COUNT_LINES_BYTES = 16 * 1024 * 1024
"""A file up to this size is read to its end, so that the answer can say how many lines it has."""
FILE_BYTES = 64 * 1024 * 1024
TEXT_BYTES = 5 * 1024 * 1024
"""The largest file that is edited or compared, before and after."""
HASH_BYTES = 256 * 1024 * 1024
"""Of a larger file that is no text, only type and size are said."""
PICTURE_EDGE = 1568
PICTURE_BYTES = 1_500_000
VIEW_S = 30.0
VIEW_MEMORY_KIB = 2 * 1024 * 1024
VIEW_FILE_KIB = 64 * 1024
ARCHIVES_AT_ONCE = 4
ARCHIVE_ENTRIES = 250_000
"""Each costs the packer some hundred bytes until the end; the end of a zip lists all."""
ARCHIVE_MEMORY_KIB = 512 * 1024
ARCHIVE_SILENCE_S = 60.0
PACK_BYTES = 8 * 1024 * 1024
BLOCK_BYTES = 1024 * 1024
"""Files are cut where these begin; a longer file's blocks are found again wherever they are by then."""
SMALL_PACKS = 24
"""Of more packs that are under half full all are packed anew."""
MANIFEST_BYTES = 256 * 1024 * 1024
SPOOL_MEMORY_BYTES = 64 * 1024 * 1024
"""Of a manifest that the disk has no room for."""
SETTLED_S = 0.1
"""A file that changed less than this before a backup is read again at the next: its time may not tell."""
CLOCK_MOVED_S = 1.0
"""By how much the clock may be set before times of files prove nothing."""
HELPER_MEMORY_KIB = 512 * 1024
HELPER_SILENCE_S = 60.0
PATIENCE_S = 20.0
"""How long a caller waits for a helper before it is asked to come again."""
BACKUP_IDLE_S = 300.0
PACKS_NAMED = 20
LIST_ENTRIES = 100_000
"""Of a larger folder the first that are found are listed, and the answer says so."""
LIST_PAGE = 1_000
EDIT_BODY_BYTES = 24 * 1024 * 1024
EDIT_PLACES = 1_000
EDIT_NEAR_LINES = 100_000
EDIT_TRIES = 8
CHANGES_KNOWN = 64
DIFF_CHARACTERS = 16_000
DIFF_PAIRS = 1_000_000
"""Lines before times lines after, up to which they are compared one by one."""

HEAD_BYTES = 16 * 1024
HEADERS = 64
JSON_BYTES = 8 * 1024 * 1024
CONNECTIONS = 64
HEAD_S = 10.0
BODY_SILENCE_S = 30.0
LINGER_S = 2.0
SEND_SILENCE_S = 120.0
RECENT_BYTES = 1024 * 1024
"""What a running command keeps in memory of its output; who is further behind reads the log."""
READ_BYTES = 128 * 1024
SEND_BYTES = 256 * 1024
SYMLINKS = 40
NAMES_TRIED = 10_000

GRACE_TIMEOUT_S = 5.0
GRACE_STOP_S = 2.0
GRACE_LINGER_S = 0.2
"""How long what the shell left may end by itself: a `>(tee file)` needs a moment to write."""
GRACE_LEFTOVER_S = 0.3
KILL_PASS_S = 0.05
KILL_GIVE_UP_S = 5.0
SUPERVISOR_SILENCE_S = 2.0
"""How much later than due a supervisor's report may come before computerd does its work."""
PROCESSES_PER_COMMAND = 512
PROCESSES_WATCHED = 384
"""What the watch takes for a bomb where no group bounds a command; below the bound above."""
PROCESS_WATCH_S = 1.0
SPARE_SUPERVISORS = 1
SPARE_RETIRE_S = 10.0
ARGUMENT_BYTES = 64 * 1024
"""Longer scripts travel in a memory file: the kernel takes 128 KiB in one argument at most."""
TRUST_AFTER_S = 0.1
"""When the stores of Java and browsers are made: after a first command began, before one is at its TLS."""
