"""Models behind one protocol: `protocol.py` says it, one file a provider speaks it."""
