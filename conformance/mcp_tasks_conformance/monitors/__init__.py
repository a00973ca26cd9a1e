"""Rules watched on every message of every scenario."""
