"""What a failing test shows, seen from a pytest of its own."""

from pathlib import Path

import pytest
import trace_platform_emulator

pytest_plugins = ["pytester"]


@pytest.fixture
def project(pytester, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(trace_platform_emulator.__file__).parent))
    pytester.makeconftest('pytest_plugins = ["trace_platform_emulator"]')
    return pytester


def test_a_failure_shows_the_last_turns(project):
    project.makepyfile(
        """
        def test_it(world):
            world.request("POST", "/threads", json={})
            assert False
        """
    )
    result = project.runpytest_subprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*last turns of the emulator*", "*request createThread*"])


def test_a_fault_that_never_triggered_fails_the_test_unless_it_is_optional(project):
    project.makepyfile(
        """
        def test_missed(faults):
            faults.arm(target="worker", match={"run": "*"}, then={"crash": True})

        def test_optional(faults):
            faults.arm(target="worker", then={"crash": True}, optional=True)

        def test_cleared(faults):
            faults.clear(faults.arm(target="worker", then={"crash": True})["id"])
        """
    )
    result = project.runpytest_subprocess()
    result.assert_outcomes(passed=3, errors=1)
    result.stdout.fnmatch_lines(["*Never triggered: * (worker, 0 matching occasions), armed at *.py:2.*"])
