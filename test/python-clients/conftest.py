"""The clients as a user makes them: every setting is one of the variables that `emulator env` prints."""

import asyncio
import inspect
import json
import os
import urllib.request

import pytest

from models import Replies, langgraph_sdk


@pytest.fixture(scope="session")
def replies():
    """Every reply of the session, checked against the model that its client publishes."""
    return Replies()


@pytest.fixture(autouse=True)
def every_reply_fits_its_model(replies):
    yield
    problems, replies.problems = replies.problems, []
    assert not problems, "\n".join(problems)


@pytest.fixture
def tracing(replies):
    import requests
    from langsmith import Client

    def check(reply, **_):
        if reply.ok:
            replies.check(reply.request.method, reply.url, reply.status_code, reply.content)

    session = requests.Session()
    session.hooks["response"].append(check)
    client = Client(session=session)
    yield client
    client.close()


def control(path, body):
    """A test-only operation of the emulator."""
    headers = {"content-type": "application/json"}
    url = f"{os.environ['EMULATOR_URL']}/_emulator/v1/{path}"
    urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers)).close()


async def settle(value):
    """The result of a call, or the parts of a stream, of either client."""
    if hasattr(value, "__aiter__"):
        return [part async for part in value]
    if inspect.isgenerator(value):
        return list(value)
    return await value if inspect.isawaitable(value) else value


async def first_of(stream, count):
    """The first parts of a stream that does not end, of either client."""
    parts = []
    if inspect.isgenerator(stream):
        parts = [next(stream) for _ in range(count)]
        stream.close()
        return parts
    stream = await stream if inspect.isawaitable(stream) else stream
    async for part in stream:
        parts.append(part)
        if len(parts) == count:
            break
    await stream.aclose()
    return parts


def hooked(client, replies):
    """The client, with each of its replies checked."""
    is_sync = isinstance(client, langgraph_sdk.client.SyncLangGraphClient)

    def check(reply):
        request = reply.request
        if reply.is_success:
            replies.check(request.method, request.url, reply.status_code, reply.content, request.content)

    def is_stream(reply):
        return reply.headers.get("content-type", "").startswith("text/event-stream")

    def read_and_check(reply):
        if not is_stream(reply):
            reply.read()
            check(reply)

    async def aread_and_check(reply):
        if not is_stream(reply):
            await reply.aread()
            check(reply)

    client.http.client.event_hooks["response"].append(read_and_check if is_sync else aread_and_check)
    return client


@pytest.fixture(params=["async", "sync"])
def agent_journey(request, replies):
    """Runs a journey, an async function of the client, with the async or the sync client."""

    def run(journey):
        async def of_both():
            url = os.environ["LANGGRAPH_API_URL"]
            make = langgraph_sdk.get_client if request.param == "async" else langgraph_sdk.get_sync_client
            client = hooked(make(url=url), replies)
            await journey(client)
            await settle(client.aclose() if request.param == "async" else client.close())

        asyncio.run(of_both())

    return run

