"""Runs pytest sessions one after another: in which folder and with which words, the second argument says, as JSON."""

import contextlib
import io
import json
import os
import sys

import pytest

plugin, sessions = sys.argv[1], json.loads(sys.argv[2])
told = []
for folder, *words in sessions:
    os.chdir(folder)
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = pytest.main(["-p", plugin, "-p", "no:cacheprovider", "--import-mode=importlib", *words])
    told.append((int(code), said.getvalue()))
json.dump(told, sys.stdout)
