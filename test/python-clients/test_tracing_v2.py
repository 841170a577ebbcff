"""The calls that the tracing client recommends instead of those that it announces as removed."""

import asyncio
import datetime
import typing
import uuid

from test_tracing import send_trace

THREAD = "a thread"


def choices(method):
    """All values of the parameter `selects`."""
    found = []

    def collect(kind):
        for part in typing.get_args(kind):
            found.append(part) if isinstance(part, str) else collect(part)

    collect(typing.get_type_hints(method)["selects"])
    return found


async def everything(pages):
    return [item async for item in pages]


def test_rows_traces_and_threads_are_queried_with_every_member(tracing, replies):
    name = f"v2 {uuid.uuid4()}"
    start = datetime.datetime.now(datetime.timezone.utc)
    root = str(send_trace(tracing, name, start, seconds=2, error="broken", thread=THREAD))
    send_trace(tracing, name, start + datetime.timedelta(seconds=1), thread=THREAD)
    tracing.flush()
    project = str(tracing.read_project(project_name=name).id)
    window = {"min_start_time": start, "max_start_time": start + datetime.timedelta(hours=1)}

    async def check(reply):
        await reply.aread()
        if reply.is_success:
            replies.check(reply.request.method, reply.url, reply.status_code, reply.content)

    async def journey():
        tracing._get_langsmith_api()._client.event_hooks["response"].append(check)
        runs, threads, traces = tracing.runs, tracing.threads, tracing.traces
        rows = await everything(runs.query(project_ids=[project], selects=choices(runs.query), page_size=3, **window))
        assert sorted(row.name for row in rows) == ["call", "call", "root", "root"]
        row = await runs.retrieve(root, project_id=project, start_time=start, selects=choices(runs.retrieve))
        assert (row.name, row.error) == ("root", "broken")
        assert root in (await runs.get_url(root, project_id=project, trace_id=root)).url
        (thread,) = await everything(threads.query(project_id=project, **window))
        assert thread.thread_id == THREAD
        turns = await everything(
            threads.list_traces(THREAD, project_id=project, selects=choices(threads.list_traces))
        )
        assert [turn.trace_id for turn in turns][0] == root and len(turns) == 2
        stats = await threads.stats(THREAD, session_id=project, selects=choices(threads.stats))
        assert (stats.turns, stats.total_tokens) == (2, 14)
        found = await everything(traces.query(project_id=project, selects=choices(traces.query), **window))
        assert len(found) == 2
        listed = await traces.list_runs(root, project_id=project, selects=choices(traces.list_runs))
        assert sorted(one.name for one in listed.items) == ["call", "root"]

    asyncio.run(journey())
