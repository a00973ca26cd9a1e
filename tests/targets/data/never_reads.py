import sys
import time

sys.stdout.write("{}\n")
sys.stdout.flush()
time.sleep(60)
