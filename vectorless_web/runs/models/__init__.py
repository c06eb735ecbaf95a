"""Threads, runs, and everything a run leaves behind."""

from vectorless_web.runs.models.kept import ModelCall, Replay, RunInputs
from vectorless_web.runs.models.result import Answer, Citation, Claim, Feedback, Step
from vectorless_web.runs.models.run import Run, Thread

__all__ = ["Answer", "Citation", "Claim", "Feedback", "ModelCall", "Replay", "Run", "RunInputs", "Step", "Thread"]
