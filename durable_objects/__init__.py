"""The Durable Objects: BotOwner (people, runs, money), BotComputer (one machine), Platform (all).

Each package has a core of plain Python and one `shell.py`, the class that Cloudflare calls. Only
shells and `shared/js.py` may import `workers`, `js` or `pyodide`; a test keeps it so.
"""
