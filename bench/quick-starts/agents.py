"""The calls of the quick starts and guides of the Python agent client."""

import os

from langgraph_sdk import get_sync_client
from step import step

client = get_sync_client(url=os.environ["LANGGRAPH_API_URL"])
INPUT = {"messages": [{"role": "user", "content": "hello"}]}

assistant = (step("assistants.search", client.assistants.search) or [{}])[0].get("assistant_id")
step("assistants.get", lambda: client.assistants.get(assistant))
step("assistants.count", client.assistants.count)
step("assistants.get_graph", lambda: client.assistants.get_graph(assistant))
step("assistants.get_schemas", lambda: client.assistants.get_schemas(assistant))
step("assistants.get_versions", lambda: client.assistants.get_versions(assistant))
made = step("assistants.create", lambda: client.assistants.create("agent", name="Mine"))
step("assistants.update", lambda: client.assistants.update(made["assistant_id"], name="Yours"))
step("assistants.delete", lambda: client.assistants.delete(made["assistant_id"]))
thread = step("threads.create", client.threads.create)["thread_id"]
step("runs.wait", lambda: client.runs.wait(thread, "agent", input=INPUT))
for mode in ["values", "updates", "messages", "messages-tuple", "events", "debug", "custom"]:
    step(f"runs.stream {mode}", lambda: list(client.runs.stream(thread, "agent", input=INPUT, stream_mode=mode)))
step("runs.stream without a thread", lambda: list(client.runs.stream(None, "agent", input=INPUT)))
run = (step("runs.create", lambda: client.runs.create(thread, "agent", input=INPUT)) or {}).get("run_id")
step("runs.join_stream", lambda: list(client.runs.join_stream(thread, run)))
step("runs.join", lambda: client.runs.join(thread, run))
step("runs.get", lambda: client.runs.get(thread, run))
step("runs.list", lambda: client.runs.list(thread))
step("runs.cancel", lambda: client.runs.cancel(thread, run))
step("runs.delete", lambda: client.runs.delete(thread, run))
step("runs.create_batch", lambda: client.runs.create_batch([{"assistant_id": "agent", "input": INPUT}]))
step("threads.get", lambda: client.threads.get(thread))
step("threads.search", client.threads.search)
step("threads.count", client.threads.count)
step("threads.update", lambda: client.threads.update(thread, metadata={"a": 1}))
step("threads.get_state", lambda: client.threads.get_state(thread))
step("threads.update_state", lambda: client.threads.update_state(thread, {"a": 1}))
step("threads.get_history", lambda: client.threads.get_history(thread))
copy = step("threads.copy", lambda: client.threads.copy(thread))
step("threads.delete", lambda: client.threads.delete((copy or {}).get("thread_id") or thread))
cron = step("crons.create", lambda: client.crons.create("agent", schedule="0 0 * * *", input=INPUT)) or {}
step("crons.search", client.crons.search)
step("crons.count", client.crons.count)
step("crons.update", lambda: client.crons.update(cron["cron_id"], enabled=False))
step("crons.delete", lambda: client.crons.delete(cron["cron_id"]))
step("store.put_item", lambda: client.store.put_item(["notes"], "one", {"text": "hi"}))
step("store.search_items", lambda: client.store.search_items(["notes"]))
