"""Notices to the owner: what is worth one, the outbox they wait in, and the channels they leave by."""
