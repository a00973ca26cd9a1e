"""What action.yml runs: the inputs of a workflow in, a verdict, reports and outputs out."""
