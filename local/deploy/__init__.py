"""Puts Berth on Cloudflare: what an account has, what is to be done to it, and doing it by wrangler.

`settings.py` is what a deployment is told, `account.py` asks Cloudflare, `plan.py` decides, `publish.py`
acts, `smoke.py` looks at what answers then. `local/launcher/deploy.py` is the command.
"""
