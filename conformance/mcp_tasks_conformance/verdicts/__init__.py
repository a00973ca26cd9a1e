"""From checks to verdicts: what the events of a run say about each requirement, and about the target."""
