"""Ends as it should and leaves behind: a child in its group, one in a session of its own, and a daemon without parent.

All hold the pipes open. Prints their process ids.
"""

import json
import os
import subprocess
import sys

SLEEP = [sys.executable, "-S", "-E", "-c", "import time; time.sleep(60)"]
near = subprocess.Popen(SLEEP)
far = subprocess.Popen(SLEEP, start_new_session=True)
read, write = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.write(write, str(os.getpid()).encode())
        os.execv(SLEEP[0], SLEEP)
    os._exit(0)
os.wait()
sys.stdout.write(json.dumps([near.pid, far.pid, int(os.read(read, 20))]) + "\n")
sys.stdout.flush()
sys.stdin.read()
os._exit(0)
