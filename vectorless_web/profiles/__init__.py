"""A person's own account: name, time zone, open sessions, a copy of one's data, and leaving."""
