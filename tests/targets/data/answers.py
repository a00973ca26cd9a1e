"""A stdio target in good order: answers each line with what it read, until its input ends."""

import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": message}) + "\n")
    sys.stdout.flush()
