"""BotOwner: an owner's bots, threads, runs and files; it drives every run and speaks to people.

Read in this order: `schema` (tables), `record` (the thread's event log), `runs` (the journal and
what comes next), `loop` (does it), `shell` (the class that Cloudflare calls).
"""
