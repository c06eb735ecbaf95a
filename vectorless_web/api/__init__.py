"""REST and server-sent events: thin doors for programs over the apps' services and selectors."""
