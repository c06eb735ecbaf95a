"""Reason, act, observe: from a question to an answer whose every sentence is checked."""
