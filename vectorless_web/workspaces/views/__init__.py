"""Pages and acts of workspaces."""
