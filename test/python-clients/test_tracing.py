"""Reading projects, traces and threads with the tracing client."""

import datetime
import uuid
from decimal import Decimal

import pytest
from langsmith import schemas
from langsmith.utils import LangSmithNotFoundError

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::langsmith.utils.LangSmithWarning")

DOCUMENTED = sorted({*schemas.Run.model_fields, "latency", "thread_id"} - {"child_runs"})
BULK = 5_000


def order_of(start, *ids):
    return ".".join(start.strftime("%Y%m%dT%H%M%S%fZ") + str(one) for one in ids)


def send_trace(client, project, start, *, seconds=1, error=None, thread="t"):
    """A root with a model call, as the client's own decorators send them."""
    root, call = uuid.uuid4(), uuid.uuid4()
    shared = {"trace_id": root, "project_name": project, "start_time": start}
    end_time = start + datetime.timedelta(seconds=seconds)
    extra = {"metadata": {"thread_id": thread}}
    root_order, call_order = order_of(start, root), order_of(start, root, call)
    client.create_run("root", {"q": 1}, "chain", id=root, dotted_order=root_order, extra=extra, tags=["a"], **shared)
    usage = {"input_tokens": 3, "output_tokens": 4, "total_tokens": 7, "total_cost": 0.5}
    client.create_run(
        "call", {"q": 1}, "llm", id=call, parent_run_id=root, dotted_order=call_order,
        outputs={"usage_metadata": usage}, end_time=end_time, **shared,
    )
    client.update_run(root, outputs={"a": 1}, error=error, end_time=end_time, trace_id=root, dotted_order=root_order)
    return root


@pytest.fixture
def project(tracing):
    """A project with two traces in one thread, the first of which failed, and a third in another."""
    name = f"shop {uuid.uuid4()}"
    tracing.create_project(name, metadata={"team": name}, upsert=True)
    now = datetime.datetime.now(datetime.timezone.utc)
    later = [now + datetime.timedelta(seconds=at) for at in range(3)]
    send_trace(tracing, name, later[0], seconds=2, error="broken")
    send_trace(tracing, name, later[1], seconds=4)
    send_trace(tracing, name, later[2], seconds=6, thread="other")
    tracing.flush()
    return name


def test_projects_are_listed_read_changed_and_deleted(tracing, project):
    (listed,) = tracing.list_projects(metadata={"team": project}, reference_free=True, include_stats=True)
    by_name = tracing.read_project(project_name=project, include_stats=True)
    by_id = tracing.read_project(project_id=by_name.id, include_stats=True)
    assert listed == by_name == by_id
    assert (by_id.run_count, by_id.total_tokens, by_id.prompt_tokens, by_id.completion_tokens) == (3, 21, 9, 12)
    assert by_id.total_cost == Decimal("1.5")
    assert by_id.error_rate == pytest.approx(1 / 3)
    assert (by_id.latency_p50.total_seconds(), by_id.latency_p99.total_seconds()) == (4, 6)
    assert by_id.last_run_start_time is not None
    assert tracing.read_project(project_name=project).run_count is None
    assert project in [one.name for one in tracing.list_projects(name_contains="SHOP")]
    assert tracing.update_project(by_id.id, description="kept").description == "kept"
    tracing.delete_project(project_name=project)
    assert not tracing.has_project(project)
    with pytest.raises(LangSmithNotFoundError):
        tracing.read_project(project_id=by_id.id)


def test_values_are_read_as_they_were_sent(tracing):
    inputs = {"id": 1875543210987654321, "large": 2**200, "ten": 10.0, "zero": -0.0, "order": {"b": 1, "10": 2, "2": 3}}
    run_id, now = uuid.uuid4(), datetime.datetime.now(datetime.timezone.utc)
    metadata = {"metadata": {"user": 18446744073709551615}}
    name = f"digits {run_id}"
    shared = {"trace_id": run_id, "dotted_order": order_of(now, run_id), "project_name": name, "start_time": now}
    tracing.create_run("digits", inputs, "chain", id=run_id, extra=metadata, **shared)
    tracing.update_run(run_id, outputs=inputs, trace_id=run_id, dotted_order=shared["dotted_order"])
    tracing.flush()
    run = tracing.read_run(run_id)
    assert repr(run.inputs) == repr(run.outputs) == repr(inputs)
    assert run.extra["metadata"]["user"] == 18446744073709551615


@pytest.mark.parametrize("selected", [None, *DOCUMENTED])
def test_rows_are_listed_with_every_member_that_can_be_selected(tracing, selection_project, selected):
    select = None if selected is None else [selected]
    runs = list(tracing.list_runs(project_name=selection_project, select=select))
    assert sorted(run.name for run in runs) == ["call", "call", "call", "root", "root", "root"]
    assert {run.run_type for run in runs} == {"chain", "llm"}
    assert len({run.id for run in runs}) == 6
    assert len({run.trace_id for run in runs}) == 3


@pytest.fixture(scope="module")
def selection_project():
    """One project for all selections."""
    from langsmith import Client

    client, name = Client(), f"selection {uuid.uuid4()}"
    start = datetime.datetime.now(datetime.timezone.utc)
    for at in range(3):
        send_trace(client, name, start + datetime.timedelta(seconds=at))
    client.flush()
    client.close()
    return name


def test_rows_are_filtered_read_with_their_children_and_summed_up(tracing, project):
    (failed,) = tracing.list_runs(project_name=project, is_root=True, error=True)
    run = tracing.read_run(failed.id, load_child_runs=True)
    assert (run.error, [child.name for child in run.child_runs]) == ("broken", ["call"])
    assert (run.total_tokens, run.total_cost, run.tags) == (7, Decimal("0.5"), ["a"])
    stats = tracing.get_run_stats(project_names=[project], is_root=True)
    assert (stats["run_count"], stats["total_tokens"], stats["latency_p50"]) == (3, 21, 4)


def test_threads_are_listed_and_read(tracing, project):
    threads = tracing.list_threads(project_name=project)
    assert [(one["thread_id"], one["count"]) for one in threads] == [("other", 1), ("t", 2)]
    runs = list(tracing.read_thread(thread_id="t", project_name=project))
    assert [run.error for run in runs] == ["broken", None]


def test_feedback_is_created_listed_changed_and_deleted(tracing, project):
    (run,) = tracing.list_runs(project_name=project, is_root=True, error=True)
    made = tracing.create_feedback(run.id, "score", score=1, trace_id=run.trace_id)
    tracing.flush()
    tracing.update_feedback(made.id, comment="good")
    assert tracing.read_feedback(made.id).comment == "good"
    assert [one.key for one in tracing.list_feedback(run_ids=[run.id])] == ["score"]
    tracing.delete_feedback(made.id)
    assert list(tracing.list_feedback(run_ids=[run.id])) == []


def test_thousands_of_rows_are_sent_and_read_back(tracing):
    name = f"bulk {uuid.uuid4()}"
    start = datetime.datetime.now(datetime.timezone.utc)
    sent = [uuid.uuid4() for _ in range(BULK)]
    for at, one in enumerate(sent):
        moment = start + datetime.timedelta(milliseconds=at)
        order = order_of(moment, one)
        end = moment + datetime.timedelta(seconds=1)
        tracing.create_run(
            f"run {at}", {"at": at}, "chain", id=one, trace_id=one, dotted_order=order,
            project_name=name, start_time=moment, end_time=end, outputs={"at": at},
        )
    tracing.flush()
    runs = list(tracing.list_runs(project_name=name))
    assert len(runs) == BULK
    assert {run.id for run in runs} == set(sent)
    assert all(run.outputs == run.inputs and run.end_time for run in runs)
