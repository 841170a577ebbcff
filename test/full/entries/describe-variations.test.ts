import { afterAll, expect, it } from "vitest";
import { describeVariations } from "../../../emulator/entries/vitest.ts";

const played: string[] = [];

describeVariations(
  "a client that does not care for the order",
  (test) => {
    test("finds its run", async ({ emulator }) => {
      const { thread_id } = await bulkExport(emulator, "/threads", {});
      const { run_id } = await bulkExport(emulator, `/threads/${thread_id}/runs`, { assistant_id: "agent" });
      const list = await (await emulator.request(`/threads/${thread_id}/runs`)).json();
      expect((list as { run_id: string }[]).map((each) => each.run_id)).toContain(run_id);
      const { assumptions } = await emulator.control<{
        assumptions: Readonly<Record<string, { value: unknown }>>;
      }>("GET", "/config");
      played.push(String(assumptions["agent.list_order"]?.value));
    });
  },
  { choices: ["agent.list_order", "export.errors_when_none"], emulatorOptions: { seed: 4 } },
);

type Requester = { request(path: string, init: { json: unknown }): Promise<Response> };

async function bulkExport(emulator: Requester, path: string, json: unknown): Promise<Record<string, string>> {
  return (await (await emulator.request(path, { json })).json()) as Record<string, string>;
}

it("was run as configured and under the choice that it depends on", () => {
  expect(played).toEqual(["newest first", "oldest first"]);
});

afterAll(() => played.splice(0));
