"""The version of Berth, in one place."""

VERSION = "0.1.0"
