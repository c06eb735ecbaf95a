"""Places that documents come from by themselves."""
