"""What tests on a GPU share: exact products of plain PyTorch, memory that is NaN."""

import pytest
import torch


@pytest.fixture(autouse=True)
def exact_products(monkeypatch):
    """Plain PyTorch's fp32 without tf32, and its deterministic matrix products."""
    monkeypatch.setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.backends.cuda.matmul.allow_tf32 = False


@pytest.fixture
def new_memory_is_nan():
    """torch.empty gives NaN, so that what a kernel does not write is seen."""
    torch.use_deterministic_algorithms(True, warn_only=True)
    yield
    torch.use_deterministic_algorithms(False)
