"""Routines of an owner: what runs by itself, when, whether, and within which limits."""
