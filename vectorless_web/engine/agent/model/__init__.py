"""The side of the agent that a model leads: what it is shown, its tools, its answer and the second reader."""
