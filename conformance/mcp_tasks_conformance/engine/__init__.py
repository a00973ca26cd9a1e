"""Scenarios planned and run against a target."""
