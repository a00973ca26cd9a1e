"""JSON-RPC, the transports and the transcript."""
