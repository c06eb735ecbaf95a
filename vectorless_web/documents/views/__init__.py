"""Pages and acts of documents."""
