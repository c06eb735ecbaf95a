"""Service accounts: programs as members of a workspace, with tokens that its owners make."""
