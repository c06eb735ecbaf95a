"""Webhooks: what happens in a workspace, posted to addresses of its owners, signed."""
