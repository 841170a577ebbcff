// The calls of the quick starts and guides of the JavaScript tracing client.
import { Client, RunTree } from "langsmith";
import { traceable } from "langsmith/traceable";
import { step } from "./step.mjs";

const client = new Client();

async function all(items) {
  const list = [];
  for await (const item of items) list.push(item);
  return list;
}

const model = traceable(async (question) => `answer to ${question}`, {
  client,
  name: "model",
  run_type: "llm",
});
const chain = traceable(async (question) => model(question), {
  client,
  name: "chain",
  metadata: { thread_id: "conversation" },
});
await step("traceable", () => chain("hello"));
const tree = new RunTree({ client, name: "by hand", run_type: "chain", inputs: { a: 1 } });
await step("postRun", () => tree.postRun());
await step("end", () => tree.end({ b: 2 }));
await step("patchRun", () => tree.patchRun());
await step("awaitPendingTraceBatches", () => client.awaitPendingTraceBatches());
const project = await step("readProject", () => client.readProject({ projectName: "default" }));
await step("readProject with statistics", () =>
  client.readProject({ projectName: "default", includeStats: true }),
);
await step("listProjects", () => all(client.listProjects()));
const runs = (await step("listRuns", () => all(client.listRuns({ projectName: "default" })))) ?? [];
const run = runs[0];
await step("readRun", () => client.readRun(run.id));
await step("readRun with children", () => client.readRun(run.id, { loadChildRuns: true }));
await step("getRunUrl", () => client.getRunUrl({ run }));
await step("getRunStats", () => client.getRunStats({ projectIds: [project.id] }));
await step("listGroupRuns", () =>
  all(client.listGroupRuns({ projectName: "default", groupBy: "conversation" })),
);
await step("listThreads", () => client.listThreads({ projectName: "default" }));
await step("readThread", () => all(client.readThread({ threadId: "conversation", projectName: "default" })));
const feedback = await step("createFeedback", () => client.createFeedback(run.id, "correct", { score: 1 }));
await step("listFeedback", () => all(client.listFeedback({ runIds: [run.id] })));
await step("updateFeedback", () => client.updateFeedback(feedback.id, { score: 0 }));
await step("deleteFeedback", () => client.deleteFeedback(feedback.id));
await step("createPresignedFeedbackToken", () => client.createPresignedFeedbackToken(run.id, "correct"));
await step("shareRun", () => client.shareRun(run.id));
await step("createProject", () => client.createProject({ projectName: "made" }));
await step("deleteProject", () => client.deleteProject({ projectName: "made" }));
await step("createDataset", () => client.createDataset("questions"));
await step("listAnnotationQueues", () => all(client.listAnnotationQueues()));
await step("pullPromptCommit", () => client.pullPromptCommit("greeting"));
