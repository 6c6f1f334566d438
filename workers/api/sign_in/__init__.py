"""The ways to sign in. `office.py` says what each needs; `settings.py` which a deployment has."""
