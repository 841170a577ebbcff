"""The fixtures as a user's tests use them."""

import json
import urllib.request
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from trace_platform_emulator import EmulatorError, connect, start, wait_for


def order_export(world, session_id):
    destination = world.request(
        "POST",
        "/api/v1/bulk-exports/destinations",
        json={
            "destination_type": "s3",
            "display_name": "Mine",
            "config": {"bucket_name": "traces", "prefix": "exports", "region": "us-east-1"},
            "credentials": {"access_key_id": "emulator", "secret_access_key": "emulator-secret"},
        },
    )
    order = {
        "bulk_export_destination_id": destination.json()["id"],
        "session_id": session_id,
        "start_time": "2025-12-31T00:00:00Z",
        "end_time": "2026-01-01T00:00:00Z",
    }
    reply = world.request("POST", "/api/v1/bulk-exports", json=order)
    assert reply.status == 200, reply
    return reply.json()["id"]


def test_an_export_is_complete(world, clock, faults):
    session_id = world.control("POST", "/traces/generate", {"count": 60, "project": "shop"})["session_id"]
    faults.arm(preset="worker_crash")
    export_id = order_export(world, session_id)
    fired = clock.advance_until(export_id)
    assert "export.due" in [event["kind"] for event in fired]
    verified = world.verify_export(export_id)
    assert (verified["ok"], verified["rows"]) == (True, 60)


def test_an_export_that_fails_says_why(world, clock):
    session_id = world.control("POST", "/traces/generate", {"count": 5, "project": "shop"})["session_id"]
    export_id = order_export(world, session_id)
    world.control("DELETE", "/s3/buckets/traces")
    with pytest.raises(EmulatorError, match="is FAILED"):
        clock.advance_until(export_id)


def test_webhooks_are_delivered_and_received(world, clock):
    run = world.request("POST", "/runs", json={"assistant_id": "agent", "webhook": "/_emulator/inbox/mine"}).json()
    assert world.deliveries() == []
    clock.advance("PT1H")
    assert [one["status"] for one in world.deliveries(run_id=run["run_id"], run_status="success")] == ["delivered"]
    assert world.deliveries(run_status="error") == []
    assert [one["body"]["run_id"] for one in world.inbox("mine")] == [run["run_id"]]


DURATIONS = json.loads((Path(__file__).parent / "../story/durations.json").read_text())


@pytest.mark.parametrize("text, milliseconds", DURATIONS["valid"].items())
def test_the_clock_moves_by_text_and_by_timedelta(clock, text, milliseconds):
    begin = moment(clock)
    clock.advance(text)
    clock.advance(timedelta(milliseconds=milliseconds))
    assert moment(clock) - begin == timedelta(milliseconds=2 * milliseconds)


@pytest.mark.parametrize("text", DURATIONS["invalid"])
def test_the_clock_refuses_what_is_not_a_duration(clock, text):
    with pytest.raises(EmulatorError, match="a duration such as 6h"):
        clock.advance(text)


def test_the_clock_moves_until_a_date_a_time_and_a_datetime(world, clock):
    clock.advance_until("2026-01-02")
    clock.advance_until(datetime(2026, 1, 3, tzinfo=timezone.utc))
    clock.advance_to(datetime(2026, 1, 4, tzinfo=timezone.utc))
    assert clock.now().startswith("2026-01-04T00:00:00")
    fault = world.faults.arm(preset="worker_crash", ttl=timedelta(hours=1), optional=True)
    assert fault["expires_at"].startswith("2026-01-04T01:00:00")


def moment(clock):
    return datetime.fromisoformat(clock.now().replace("Z", "+00:00"))


@pytest.mark.parametrize("turn", [1, 2])
def test_every_test_has_a_world_of_its_own(world, turn):
    assert world.request("POST", "/threads/search", json={}).json() == []
    assert world.request("POST", "/threads", json={}).status == 200


def test_the_clock_is_frozen_and_moves_on_request(world, clock):
    assert clock.now() == "2026-01-01T00:00:00.000000Z"
    clock.advance_to("2026-01-02T00:00:00Z")
    assert clock.now() == "2026-01-02T00:00:00.000000Z"
    clock.flow(1_000)
    assert wait_for(lambda: clock.now() > "2026-01-02T00:00:01Z", what="the time")
    clock.freeze()


def test_a_refused_call_raises_with_its_hint(world, faults):
    with pytest.raises(EmulatorError) as refused:
        faults.arm(preset="no_such")
    assert refused.value.status == 422
    assert refused.value.hint and refused.value.hint in str(refused.value)
    assert (refused.value.code, refused.value.requirement) == ("unknown_preset", None)
    with pytest.raises(EmulatorError) as refused:
        world.control("PUT", "/rate-limits/none", {"remaining": 0})
    assert (refused.value.code, refused.value.requirement) == ("not_found", "8.5-1")


def test_plain_with_warns_of_a_fault_that_never_triggered(emulator):
    with pytest.warns(UserWarning, match=r"Never triggered: .* armed at .*test_fixtures\.py:\d+"):
        with emulator.fork() as fork:
            fork.faults.arm(preset="worker_crash")


def test_waiting_ends_with_what_was_missing():
    with pytest.raises(EmulatorError, match="After 0 s the file was still None"):
        wait_for(lambda: None, seconds=0, what="the file")


def test_a_reply_of_any_status_is_a_reply(world):
    reply = world.request("GET", "/threads/00000000-0000-4000-8000-000000000009")
    assert reply.status == 404
    assert world.request("GET", "/ok", region="eu").json() == {"ok": True}
    assert world.request("POST", "/threads", headers={"X-Tenant-Id": "nobody"}, json={}).status >= 400


def test_plain_with_and_other_options(emulator):
    with start(now="2027-05-01T00:00:00Z", seed=7) as other:
        assert other.clock.now().startswith("2027-05-01")
        assert connect(other.url).clock.now() == other.clock.now()
    with pytest.raises(EmulatorError, match="nothing answers there"):
        other.clock.now()


def test_an_emulator_that_does_not_start_says_why():
    with pytest.raises(EmulatorError, match='The emulator did not start: --clock: "backwards" is not valid; give'):
        start(clock="backwards")


def test_boto3_lists_what_an_export_wrote(world, clock, boto3):
    from botocore.client import Config

    session_id = world.control("POST", "/traces/generate", {"count": 12, "project": "shop"})["session_id"]
    clock.advance_until(order_export(world, session_id))
    s3 = boto3.client(
        "s3",
        endpoint_url=world.s3_url,
        region_name="us-east-1",
        aws_access_key_id="emulator",
        aws_secret_access_key="emulator-secret",
        config=Config(signature_version="s3v4", s3={"addressing_style": "path"}),
    )
    keys = [one["Key"] for one in s3.list_objects_v2(Bucket="traces")["Contents"] if one["Key"].endswith(".parquet")]
    assert keys
    assert s3.get_object(Bucket="traces", Key=keys[0])["Body"].read()[:4] == b"PAR1"


def test_the_tracing_client_sends_runs(world):
    """The requests of the tracing client: a batch of runs, then a query for them."""
    run = {
        "id": "6f0c0f5e-9d1c-4a0a-8a41-5cf5a1b0a111",
        "trace_id": "6f0c0f5e-9d1c-4a0a-8a41-5cf5a1b0a111",
        "dotted_order": "20260101T000000000000Z6f0c0f5e-9d1c-4a0a-8a41-5cf5a1b0a111",
        "name": "chat",
        "run_type": "llm",
        "start_time": "2026-01-01T00:00:00Z",
        "inputs": {"question": "why"},
        "session_name": "shop",
    }
    request = urllib.request.Request(
        world.url + "/runs/batch",
        data=json.dumps({"post": [run], "patch": []}).encode(),
        headers={"content-type": "application/json", "x-api-key": "any"},
    )
    assert urllib.request.urlopen(request).status == 202
    project = world.request("GET", "/sessions?name=shop").json()[0]["id"]
    found = world.request("POST", "/runs/query", json={"session": [project]}).json()["runs"]
    assert [one["name"] for one in found] == ["chat"]
