"""The calls of the quick starts and guides of the Python tracing client."""

from langsmith import Client, RunTree, traceable
from step import step

client = Client()


@traceable(run_type="llm", name="model", client=client)
def model(question):
    return f"answer to {question}"


@traceable(name="chain", client=client, metadata={"thread_id": "conversation"})
def chain(question):
    return model(question)


step("traceable", lambda: chain("hello"))
tree = RunTree(name="by hand", run_type="chain", inputs={"a": 1}, ls_client=client)
step("post", tree.post)
step("end", lambda: tree.end(outputs={"b": 2}))
step("patch", tree.patch)
step("flush", client.flush)
project = step("read_project", lambda: client.read_project(project_name="default"))
step("read_project with statistics", lambda: client.read_project(project_name="default", include_stats=True))
step("list_projects", lambda: list(client.list_projects()))
runs = step("list_runs", lambda: list(client.list_runs(project_name="default"))) or []
run = runs[0] if runs else None
step("read_run", lambda: client.read_run(run.id))
step("read_run with children", lambda: client.read_run(run.id, load_child_runs=True))
step("get_run_url", lambda: client.get_run_url(run=run, project_name="default"))
step("get_run_stats", lambda: client.get_run_stats(project_ids=[project.id]))
step("list_threads", lambda: list(client.list_threads(project_name="default")))
step("read_thread", lambda: list(client.read_thread(thread_id="conversation", project_name="default")))
feedback = step("create_feedback", lambda: client.create_feedback(run.id, "correct", score=1))
step("flush", client.flush)
step("list_feedback", lambda: list(client.list_feedback(run_ids=[run.id])))
step("update_feedback", lambda: client.update_feedback(feedback.id, score=0))
step("delete_feedback", lambda: client.delete_feedback(feedback.id))
step("create_presigned_feedback_token", lambda: client.create_presigned_feedback_token(run.id, "correct"))
step("share_run", lambda: client.share_run(run.id))
step("create_project", lambda: client.create_project("made"))
step("delete_project", lambda: client.delete_project(project_name="made"))
step("create_dataset", lambda: client.create_dataset("questions"))
step("list_annotation_queues", lambda: list(client.list_annotation_queues()))
step("pull_prompt_commit", lambda: client.pull_prompt_commit("greeting"))
