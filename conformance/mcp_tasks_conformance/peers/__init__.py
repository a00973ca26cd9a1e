"""The other side of the conversation: drives servers, or is the server that clients are driven against."""
