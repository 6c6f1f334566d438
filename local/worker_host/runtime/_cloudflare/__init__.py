"""The part of Cloudflare's runtime that the Workers SDK patches packages through.

The SDK looks for a package of this name, and where it finds one it makes packages fit a runtime without
threads or sockets. Here are the functions it calls, as far as they matter without Cloudflare's snapshots.
"""
