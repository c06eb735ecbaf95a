"""The administrators' console: how the site is, what was done, who is here, what is used, and the acts on it."""
