"""How the four systems are to work in a run."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Settings:
    """How a workspace or an ask wants the four systems to work; every field has a door in the product.

    `pilot`: balanced, high_quality, low_cost or algorithm_only. `strategy`: beam, greedy or mcts. `route_mode`: fast,
    balanced or precise. `fusion`: rrf, weighted_rrf or convex. `verify`: whether the second, independent call is made.
    `pictures`: pages that a model may look at. `context`: tokens that the model takes at once, 0 when unknown.
    `native_tools`: whether the model's self-test found native function calls.
    """

    pilot: str = "balanced"
    strategy: str = "beam"
    route_mode: str = "balanced"
    fusion: str = "rrf"
    verify: bool = True
    expand: bool = True
    pictures: int = 0
    context: int = 0
    native_tools: bool = False
