"""What carries messages: stdio and Streamable HTTP."""
