"""Whether a claim means what its quotes say: column, row, period, unit, direction, rank, bound, yes and no."""
