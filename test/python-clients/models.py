"""The published model of each reply: pydantic models of the tracing client, typed dicts of the agent client."""

import os
import re
from typing import Any, Dict, List, Optional, get_args, get_type_hints
from urllib.parse import urlsplit

import pydantic
from typing_extensions import NotRequired, TypedDict

from stand_ins import import_agent_client

langgraph_sdk = import_agent_client()

import langsmith.schemas as tracing  # noqa: E402
from langsmith import Client  # noqa: E402
from langgraph_sdk import schema as agent  # noqa: E402

ID = "[0-9a-f-]{36}"
OBJECT, NUMBER, ANYTHING = Dict[str, Any], int, Any


class Cursors(TypedDict):
    next: Optional[str]


class RunPage(TypedDict):
    runs: List[tracing.Run]
    cursors: Cursors


TRACING = {
    "GET /info": tracing.LangSmithInfo,
    "GET /sessions": List[tracing.TracerSessionResult],
    f"GET /sessions/{ID}": tracing.TracerSessionResult,
    "POST /sessions": tracing.TracerSession,
    f"PATCH /sessions/{ID}": tracing.TracerSession,
    f"DELETE /sessions/{ID}": OBJECT,
    "POST /runs/multipart": OBJECT,
    f"GET /runs/{ID}": tracing.Run,
    "POST /runs/query": RunPage,
    "POST /runs/stats": OBJECT,
    "GET /feedback": List[tracing.Feedback],
    f"GET /feedback/{ID}": tracing.Feedback,
    f"PATCH /feedback/{ID}": tracing.Feedback,
    f"DELETE /feedback/{ID}": OBJECT,
}

def returned(method):
    """The model of the result of a method, or of a page of results."""
    model = get_type_hints(method)["return"]
    pages = get_args(model)[1:]
    return pages[0] if pages else model


newest = Client()._get_langsmith_api()
TRACING.update({
    "POST /api/v2/runs/query": returned(newest.runs.query),
    f"GET /api/v2/runs/{ID}": returned(newest.runs.retrieve),
    f"GET /api/v2/runs/{ID}/url": returned(newest.runs.get_url),
    "POST /api/v2/threads/query": returned(newest.threads.query),
    "GET /api/v2/threads/[^/]+/traces": returned(newest.threads.list_traces),
    "GET /api/v2/threads/[^/]+/stats": returned(newest.threads.stats),
    "POST /api/v2/traces/query": returned(newest.traces.query),
    f"GET /api/v2/traces/{ID}/runs": returned(newest.traces.list_runs),
})

AGENT = {
    "POST /assistants": agent.Assistant,
    "POST /assistants/search": List[agent.Assistant],
    "POST /assistants/count": NUMBER,
    f"GET /assistants/{ID}": agent.Assistant,
    f"PATCH /assistants/{ID}": agent.Assistant,
    f"DELETE /assistants/{ID}": None,
    f"POST /assistants/{ID}/versions": List[agent.AssistantVersion],
    f"POST /assistants/{ID}/latest": agent.Assistant,
    f"GET /assistants/{ID}/graph": Dict[str, List[OBJECT]],
    "POST /threads": agent.Thread,
    "POST /threads/search": List[agent.Thread],
    "POST /threads/count": NUMBER,
    "POST /threads/prune": Dict[str, int],
    f"GET /threads/{ID}": agent.Thread,
    f"PATCH /threads/{ID}": agent.Thread,
    f"DELETE /threads/{ID}": None,
    f"POST /threads/{ID}/copy": agent.Thread,
    f"GET /threads/{ID}/state": agent.ThreadState,
    f"GET /threads/{ID}/state/{ID}": agent.ThreadState,
    f"POST /threads/{ID}/state/checkpoint": agent.ThreadState,
    f"POST /threads/{ID}/state": agent.ThreadUpdateStateResponse,
    f"POST /threads/{ID}/history": List[agent.ThreadState],
    "POST /runs": agent.Run,
    "POST /runs/batch": List[agent.Run],
    "POST /runs/wait": OBJECT,
    "POST /runs/cancel": None,
    f"GET /threads/{ID}/runs": List[agent.Run],
    f"POST /threads/{ID}/runs": agent.Run,
    f"POST /threads/{ID}/runs/wait": OBJECT,
    f"GET /threads/{ID}/runs/{ID}": agent.Run,
    f"DELETE /threads/{ID}/runs/{ID}": None,
    f"GET /threads/{ID}/runs/{ID}/join": OBJECT,
    f"POST /threads/{ID}/runs/{ID}/cancel": ANYTHING,
    f"POST /threads/{ID}/runs/crons": agent.Cron,
    "POST /runs/crons": agent.Cron,
    "POST /runs/crons/search": List[agent.Cron],
    "POST /runs/crons/count": NUMBER,
    f"PATCH /runs/crons/{ID}": agent.Cron,
    f"DELETE /runs/crons/{ID}": None,
}

# §2.2 of the specification shows all members of a thread; only the profile `observed` adds this one.
if os.environ["EMULATOR_PROFILE"] != "observed":
    agent.Thread.__annotations__["interrupts"] = NotRequired[Any]
# Also classes of the caller may be a context that is sent; one that is received is always an object.
agent.Context = OBJECT
for model in (agent.Assistant, agent.AssistantVersion, agent.Thread, agent.ThreadState, agent.Run, agent.Cron):
    model.__pydantic_config__ = pydantic.ConfigDict(arbitrary_types_allowed=True)


class Replies:
    """Checks each reply, and counts them by row of the tables."""

    def __init__(self):
        self.counts = {**dict.fromkeys(TRACING, 0), **dict.fromkeys(AGENT, 0)}
        self.problems = []

    def check(self, method, url, status, body, sent=b""):
        """A reply of an operation that succeeded."""
        line = f"{method} {urlsplit(str(url)).path}"
        row = next((row for row in self.counts if re.fullmatch(row, line)), None)
        if row is None:
            self.problems.append(f"{line}: models.py has no model for it")
            return
        self.counts[row] += 1
        is_selection = b'"select"' in sent or "select=" in str(url)
        model = TRACING[row] if row in TRACING else AGENT[row]
        if model in (None, ANYTHING):
            return
        try:
            # The tracing client converts values to its models; the agent client returns them as they are.
            pydantic.TypeAdapter(model).validate_json(body, strict=row in AGENT)
        except pydantic.ValidationError as error:
            for problem in error.errors(include_url=False, include_input=False):
                is_unselected = is_selection and problem["type"] == "missing" and len(problem["loc"]) == 2
                if not is_unselected:
                    self.problems.append(f"{line} ({status}): {problem}")
