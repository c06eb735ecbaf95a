"""The conversation that answers a question: tools, budget, events; with a model or without one."""
