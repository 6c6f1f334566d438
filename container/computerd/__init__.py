"""computerd: the service inside the computer.

It is the first process of the computer. It runs commands, keeps their logs, ends what they
leave behind, and hands files in and out, over HTTP on one local port. It uses the standard
library of Debian's Python and nothing else, for it must start in milliseconds and idle in a
few megabytes. Read `service.py` next: it puts the parts together.
"""

VERSION = "0.1.0"
