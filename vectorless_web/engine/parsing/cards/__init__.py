"""What a document is known by: its title, names, typed fields and card."""
