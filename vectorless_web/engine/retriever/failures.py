"""What can go wrong when retrieving, as part of the engine's error tree."""

from vectorless_web.engine.errors import EngineError, InvalidInput


class RetrievalEmpty(InvalidInput):
    """Raised by `Retriever.execute` when no label, property, lexical query, vector or list of nodes is given."""

    code = "retrieval_empty"

    def __init__(self) -> None:
        super().__init__("Nothing was asked for: give a label, a property, a text, a vector or nodes to retrieve.")


class VectorDimensionMismatch(InvalidInput):
    """Raised when a query vector is not as long as the vectors of its model; carries both lengths."""

    code = "vector_dim_mismatch"

    def __init__(self, *, index_dim: int, query_dim: int) -> None:
        super().__init__(f"The query vector has {query_dim} numbers, the index holds vectors of {index_dim}.")
        self.index_dim = index_dim
        self.query_dim = query_dim


class RerankFailed(EngineError):
    """Raised by a reranker that cannot score; the retriever then keeps the fused order and warns."""

    code = "rerank_failed"
    retryable = True
