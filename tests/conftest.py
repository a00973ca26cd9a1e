"""What all tests share."""

import os

from hypothesis import settings

# The same examples on every run, so that a red build is about the change; HYPOTHESIS_PROFILE=explore looks further.
settings.register_profile("steady", derandomize=True)
settings.register_profile("explore", max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))
