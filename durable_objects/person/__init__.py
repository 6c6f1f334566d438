"""One person: how they are known and by what, and to which owners they belong."""
