"""What every test shares: property tests are the same each time, and no example fails for being slow."""

from hypothesis import settings

# Machines are slow and busy at times; an example that takes long is not a wrong one.
settings.register_profile("berth", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("berth")
