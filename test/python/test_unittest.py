"""The base class for unittest."""

import unittest

from trace_platform_emulator import EmulatorTestCase


class Threads(EmulatorTestCase):
    emulator_options = {"seed": 7}

    def test_begins_empty(self):
        self.assertEqual(self.world.request("POST", "/threads/search", json={}).json(), [])
        self.assertEqual(self.world.request("POST", "/threads", json={}).status, 200)

    def test_begins_empty_again(self):
        self.assertEqual(self.world.request("POST", "/threads/search", json={}).json(), [])

    def test_a_fault_that_never_triggers_fails_the_test(self):
        class Inner(EmulatorTestCase):
            emulator_options = self.emulator_options

            def runTest(self):
                self.faults.arm(target="worker", then={"crash": True})

        result = unittest.TestResult()
        Inner().run(result)
        self.assertEqual([len(result.failures), len(result.errors)], [1, 0])
        self.assertIn("Never triggered", result.failures[0][1])
