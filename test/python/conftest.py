import os

import pytest

pytest_plugins = ["trace_platform_emulator"]


@pytest.fixture
def boto3():
    """In CI, which installs it, a missing one fails."""
    if os.environ.get("CI") == "true":
        import boto3

        return boto3
    return pytest.importorskip("boto3")
