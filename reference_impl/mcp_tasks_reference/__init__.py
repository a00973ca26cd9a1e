"""Reference implementation of Tasks in the Model Context Protocol."""
