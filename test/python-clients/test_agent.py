"""Threads, runs, crons and assistants with the async and the sync agent client."""

import datetime

import pytest
from langgraph_sdk.errors import ConflictError, NotFoundError

from conftest import control, first_of, settle

UNTIL = datetime.datetime(2100, 1, 1, tzinfo=datetime.timezone.utc)


def events_of(parts):
    return [part.event for part in parts]


def test_assistants(agent_journey):
    async def journey(client):
        of = client.assistants
        selected = await settle(of.search(graph_id="echo", limit=5, sort_by="name", select=["graph_id"]))
        assert selected == [{"graph_id": "echo"}]
        assert len(await settle(of.search())) >= 5
        made = await settle(of.create("echo", name="Mine", metadata={"m": 1}, context={"c": 1}, description="d"))
        changed = await settle(of.update(made["assistant_id"], name="Ours", metadata={"x": 1}))
        assert (changed["version"], changed["metadata"]) == (2, {"m": 1, "x": 1})
        assert await settle(of.get(made["assistant_id"])) == changed
        versions = await settle(of.get_versions(made["assistant_id"], limit=5))
        assert [(one["version"], one["name"]) for one in versions] == [(2, "Ours"), (1, "Mine")]
        assert (await settle(of.set_latest(made["assistant_id"], 1)))["name"] == "Mine"
        assert (await settle(of.update(made["assistant_id"], name="Theirs", metadata={"x": 1})))["version"] == 3
        assert await settle(of.count(metadata={"x": 1})) >= 1
        assert len((await settle(of.get_graph(made["assistant_id"], xray=True)))["nodes"]) == 3
        await settle(of.delete(made["assistant_id"], delete_threads=True))
        with pytest.raises(NotFoundError):
            await settle(of.get(made["assistant_id"]))

    agent_journey(journey)


def test_threads(agent_journey):
    async def journey(client):
        of = client.threads
        made = await settle(of.create(metadata={"a": 1}, graph_id="echo"))
        thread = made["thread_id"]
        assert await settle(of.create(thread_id=thread, if_exists="do_nothing")) == made
        with pytest.raises(ConflictError):
            await settle(of.create(thread_id=thread))
        await settle(of.update(thread, metadata={"b": 2}))
        assert (await settle(of.get(thread)))["metadata"]["b"] == 2
        await settle(client.runs.wait(thread, "echo", input={"x": 1}))
        found = await settle(of.search(ids=[thread], metadata={"a": 1}, values={"x": 1}, status="idle", limit=3))
        assert [one["thread_id"] for one in found] == [thread]
        part = await settle(of.search(ids=[thread], select=["thread_id", "status"], sort_by="state_updated_at"))
        assert part == [{"thread_id": thread, "status": "idle"}]
        assert await settle(of.count(metadata={"b": 2}, status="idle")) >= 1
        copy = (await settle(of.copy(thread)))["thread_id"]
        await settle(of.delete(thread))
        assert (await settle(of.get(copy)))["values"] == {"x": 1}

    agent_journey(journey)


def test_states_of_a_thread(agent_journey):
    async def journey(client):
        of = client.threads
        step = {"updates": [{"values": {"a": 1}, "as_node": "__start__"}]}
        thread = (await settle(of.create(graph_id="echo", supersteps=[step])))["thread_id"]
        await settle(client.runs.wait(thread, "echo", input={"x": 1}))
        state = await settle(of.get_state(thread))
        checkpoint = state["checkpoint"]
        assert state["values"] == {"a": 1, "x": 1}
        assert await settle(of.get_state(thread, subgraphs=True)) == state
        assert await settle(of.get_state(thread, checkpoint=checkpoint)) == state
        assert await settle(of.get_state(thread, checkpoint_id=checkpoint["checkpoint_id"])) == state
        await settle(of.update_state(thread, {"y": 2}, as_node="echo", checkpoint_id=checkpoint["checkpoint_id"]))
        assert (await settle(of.get_state(thread)))["values"]["y"] == 2
        history = await settle(of.get_history(thread, limit=2))
        assert [one["values"].get("y") for one in history] == [2, None]
        assert len(await settle(of.get_history(thread, before=checkpoint, limit=20))) >= 1

    agent_journey(journey)


def test_runs(agent_journey):
    async def journey(client):
        of = client.runs
        thread = (await settle(client.threads.create()))["thread_id"]
        run = await settle(of.create(
            thread, "slow", input={"x": 1}, metadata={"m": 1}, config={"tags": ["t"]}, context={"c": 1},
            stream_mode=["values", "updates"], multitask_strategy="enqueue", durability="async",
            webhook="/_emulator/inbox/mine",
        ))
        assert (await settle(of.get(thread, run["run_id"])))["metadata"]["m"] == 1
        assert await settle(of.list(thread, select=["run_id"])) == [{"run_id": run["run_id"]}]
        assert await settle(of.list(thread, status="success")) == []
        assert (await settle(of.join(thread, run["run_id"])))["step"] == 10
        assert [one["status"] for one in await settle(of.list(thread, limit=5, offset=0))] == ["success"]
        await settle(of.delete(thread, run["run_id"]))
        assert await settle(of.list(thread)) == []
        assert await settle(of.wait(None, "echo", input={"x": 1})) == {"x": 1}
        assert (await settle(of.create(None, "echo", input={})))["status"] == "pending"
        batch = [{"assistant_id": "echo", "input": {"x": 1}}] * 2
        assert len(await settle(of.create_batch(batch))) == 2
        failed = await settle(of.wait(thread, "failing", input={}, raise_error=False))
        assert failed["__error__"]["error"] == "RuntimeError"
        await settle(of.wait(thread, "interrupting", input={}))
        assert (await settle(client.threads.get(thread)))["status"] == "interrupted"
        assert (await settle(client.threads.get_state(thread)))["interrupts"]
        await settle(of.wait(thread, "interrupting", command={"resume": "yes"}))
        assert (await settle(client.threads.get(thread)))["status"] == "idle"

    agent_journey(journey)


def test_streams_are_read_and_joined(agent_journey):
    async def journey(client):
        of = client.runs
        thread = (await settle(client.threads.create()))["thread_id"]
        parts = await settle(of.stream(thread, "echo", input={"x": 1}, stream_mode=["values", "updates"]))
        assert (parts[0].event, parts[-1].event, parts[-1].data) == ("metadata", "values", {"x": 1})
        typed = await settle(of.stream(None, "agent", input={"messages": []}, version="v2"))
        assert [part["type"] for part in typed][:2] == ["metadata", "values"]
        run = (await settle(of.create(thread, "slow", input={}, stream_mode=["values"])))["run_id"]
        joined = await settle(of.join_stream(thread, run))
        assert joined[-1].data["step"] == 10
        again = await settle(of.join_stream(thread, run, stream_mode="values", last_event_id=joined[0].id))
        assert [part.id for part in again] == [part.id for part in joined[1:] if part.event == "values"]

    agent_journey(journey)


def test_the_stream_of_a_thread_is_joined(agent_journey):
    async def journey(client):
        of = client.threads
        thread = (await settle(of.create(graph_id="echo")))["thread_id"]
        run = (await settle(client.runs.create(thread, "slow", input={})))["run_id"]
        parts = await first_of(of.join_stream(thread, last_event_id="-"), 13)
        assert (parts[0].event, parts[0].data["run_id"], parts[-2].data) == ("metadata", run, {"step": 10})
        assert parts[-1].data == {"status": "run_done", "run_id": run}
        await settle(of.update_state(thread, {"y": 2}))
        modes = ["lifecycle", "state_update"]
        rest = await first_of(of.join_stream(thread, last_event_id=parts[-2].id, stream_mode=modes), 2)
        assert [part.event for part in rest] == ["metadata", "state_update"]
        assert rest[1].data["state"]["values"]["y"] == 2

    agent_journey(journey)


def test_threads_are_pruned(agent_journey):
    async def journey(client):
        of = client.threads
        kept, removed = [(await settle(of.create()))["thread_id"] for _ in range(2)]
        for value in (1, 2):
            await settle(client.runs.wait(kept, "echo", input={"x": value}))
        assert await settle(of.prune([kept], strategy="keep_latest")) == {"pruned_count": 1}
        assert [one["values"] for one in await settle(of.get_history(kept))] == [{"x": 2}]
        assert await settle(of.prune([removed, removed])) == {"pruned_count": 1}
        with pytest.raises(NotFoundError):
            await settle(of.get(removed))

    agent_journey(journey)


def test_runs_are_cancelled(agent_journey):
    async def journey(client):
        of = client.runs
        thread = (await settle(client.threads.create()))["thread_id"]
        runs = [(await settle(of.create(thread, "slow", input={})))["run_id"] for _ in range(1)]
        await settle(of.cancel(thread, runs[0], wait=True, action="interrupt"))
        other = (await settle(of.create(thread, "slow", input={})))["run_id"]
        await settle(of.cancel(thread, other, action="rollback"))
        third = (await settle(of.create(thread, "slow", input={})))["run_id"]
        await settle(of.cancel_many(thread_id=thread, run_ids=[third]))
        statuses = {one["run_id"]: one["status"] for one in await settle(of.list(thread))}
        assert statuses == {runs[0]: "interrupted", third: "interrupted"}

    agent_journey(journey)


@pytest.mark.parametrize("until", [UNTIL, UNTIL.replace(tzinfo=None)])
def test_crons(agent_journey, until):
    async def journey(client):
        of = client.crons
        thread = (await settle(client.threads.create()))["thread_id"]
        options = {"schedule": "0 * * * *", "input": {}, "metadata": {"thread": thread}}
        on_thread = await settle(of.create_for_thread(thread, "echo", timezone="Europe/Berlin", **options))
        cron = await settle(of.create("echo", on_run_completed="keep", end_time=until, **options))
        found = await settle(of.search(metadata={"thread": thread}, sort_by="created_at", sort_order="asc"))
        assert [one["cron_id"] for one in found] == [on_thread["cron_id"], cron["cron_id"]]
        selected = await settle(of.search(thread_id=thread, enabled=True, select=["schedule"]))
        assert selected == [{"schedule": "0 * * * *"}]
        assert await settle(of.count(thread_id=thread)) == 1
        changed = await settle(of.update(cron["cron_id"], schedule="1 * * * *", enabled=False))
        assert (changed["schedule"], changed["enabled"]) == ("1 * * * *", False)
        control("clock/advance", {"by": "PT1H"})
        assert [one["status"] for one in await settle(client.runs.list(thread))] == ["success"]
        for one in found:
            await settle(of.delete(one["cron_id"]))
        assert await settle(of.search(metadata={"thread": thread})) == []

    agent_journey(journey)
