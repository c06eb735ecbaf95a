"""What the pages are about: for each subject what is read of it, and the acts on it."""
