"""Reports of a run: what people and other programs see. They know results and events, and no engine."""
