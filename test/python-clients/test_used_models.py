"""Runs last: the tests before it have called every operation that models.py has a model for."""


def test_every_model_was_used(replies):
    assert [row for row, count in replies.counts.items() if count == 0] == []
