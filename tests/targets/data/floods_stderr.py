"""Writes far more to stderr than any pipe holds, then answers."""

import sys

for number in range(200_000):
    sys.stderr.write(f"debug line number {number}\n")
sys.stderr.flush()
sys.stdout.write(sys.stdin.readline())
sys.stdout.flush()
sys.stdin.read()
