import sys

sys.stdout.write('{"long": "' + "x" * 5_000_000 + '"}\n')
sys.stdout.flush()
sys.stdin.read()
