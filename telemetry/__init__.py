"""Logs, spans and counters: what the parts tell of their work, without content.

Nothing of ours is imported.
"""
