"""Egress: the only way out of a computer, and it says no first.

`address` is the one canonical form of a URL, `rules` the records that refuse bad entries, `tables` the rules
themselves, `policy` the one function that reads them. `registries` are the hosts that the build found, `page`
prints the rules for people, and `shell` is the entrypoint through which every request of a computer passes.
"""
