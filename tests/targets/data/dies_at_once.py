import sys

sys.stderr.write("cannot read the configuration\n")
sys.exit(3)
