import { describe, expect, it } from "vitest";
import { systemAssistantId } from "../../../emulator/subjects/agent/assistants.ts";
import { RUNS } from "../../../emulator/subjects/agent/records.ts";
import { openAgentWorld } from "../../support/agent-world.ts";

const idsOf = (graph_id: string) => ({ graph_id, assistant_id: systemAssistantId(graph_id) });

describe("the metadata of a run", () => {
  it("names its own assistant, also on a thread that another assistant has used", async () => {
    const world = await openAgentWorld();
    const thread = world.thread();
    const runs = ["slow", "echo", "failing"].map((assistant_id) => world.start(thread, { assistant_id }));
    await world.advance(60_000);
    expect(runs.map((run) => world.reader.get(RUNS, run)?.metadata)).toMatchObject([
      idsOf("slow"),
      idsOf("echo"),
      idsOf("failing"),
    ]);
  });

  it("names its own assistant in the payload of its webhook (§6)", async () => {
    const world = await openAgentWorld();
    const thread = world.thread();
    world.start(thread, { assistant_id: "failing" });
    world.start(thread, { assistant_id: "echo", webhook: "https://hooks.example/run" });
    await world.advance(1000);
    expect(world.sent.map(({ payload }) => JSON.parse(payload))).toMatchObject([
      { assistant_id: idsOf("echo").assistant_id, metadata: idsOf("echo") },
    ]);
  });

  it("is that of the caller where both name a graph", async () => {
    const world = await openAgentWorld();
    const run = world.start(null, { on_completion: "keep", metadata: { graph_id: "mine" } });
    expect(world.reader.get(RUNS, run)?.metadata).toMatchObject({ ...idsOf("echo"), graph_id: "mine" });
  });
});
