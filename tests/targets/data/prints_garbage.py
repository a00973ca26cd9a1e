import sys

sys.stdout.write("Welcome!\n\n   \n[INFO] listening\n\x1b[32mready\x1b[0m\n")
sys.stdout.write('{"jsonrpc": "2.0", "method": "notifications/message"}\r\n')
sys.stdout.write('{"broken": \n[{"jsonrpc": "2.0"}]\n42\n')
sys.stdout.flush()
sys.stdout.buffer.write(b'{"caf\xe9": 1}\n\xff\xfe\n')
sys.stdout.flush()
sys.stdin.read()
