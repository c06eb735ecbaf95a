"""What an answer consists of and what the program checks of it: quotes, numbers, outcome."""
