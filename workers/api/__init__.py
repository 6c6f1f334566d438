"""The HTTP API. `app` puts it together; `access` says who may call; the rest are the routes."""
