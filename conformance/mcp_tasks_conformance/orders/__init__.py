"""What a user asks for, whichever way in: made into a target, doors, a choice of profile and options of a run."""
