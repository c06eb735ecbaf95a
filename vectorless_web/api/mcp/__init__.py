"""The Model Context Protocol: tools, resources and prompts for assistants, over HTTP and over standard input."""
