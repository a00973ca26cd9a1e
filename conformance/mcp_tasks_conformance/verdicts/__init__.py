"""Checks folded into requirement verdicts and the verdict of the run."""
