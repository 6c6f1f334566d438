"""The trading venue: what a model proposes, what a person approves, and how exactly that is sent, once."""
