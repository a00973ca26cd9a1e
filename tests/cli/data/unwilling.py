"""Commands that are no servers: the argument says what it does instead."""

import sys
import time

what = sys.argv[1]
sys.stderr.write(f"this is what {what} looks like\n")
sys.stderr.flush()
if what == "exits":
    sys.exit(4)
if what == "garbage":
    sys.stdout.write("<html>502 Bad Gateway</html>\n" * 3)
    sys.stdout.flush()
if what == "announces":
    sys.stdout.write("MCP server on port 8950\n")
    sys.stdout.flush()
if what == "reads":
    for _ in sys.stdin:
        pass
time.sleep(120)
