"""What models are asked for the notebook: compact, the state of the world, judge."""
