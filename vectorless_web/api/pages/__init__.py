"""Pages of one's own tokens, and of what owners set up: service accounts and webhooks."""
