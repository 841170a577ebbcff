import { describe, expect, it } from "vitest";
import type { ChoiceView } from "../../emulator/client/views.ts";
import { startEmulator } from "../../emulator/runtime/index.ts";

const ids = (choices: readonly ChoiceView[]) => choices.map(({ id }) => id);

describe("GET /choices", () => {
  it("lists the open choices that the requests of a world depend on, with their values", async () => {
    const emulator = await startEmulator({ server: { note_choices: true }, profile: "observed" });
    const noted = () => emulator.control<readonly ChoiceView[]>("GET", "/choices");
    await emulator.request("/readyz");
    expect(ids(await noted())).not.toContain("platform.unlisted_path");
    await emulator.request("/commits");
    expect(ids(await noted())).toContain("platform.unlisted_path");
    await emulator.request("/threads", { json: {} });
    const fields = (await noted()).find(({ id }) => id === "agent.thread_fields");
    expect(fields).toMatchObject({ section: "2.2", value: "with interrupts", choice: "the seven shown" });
    await using other = await emulator.fork();
    expect(ids(await other.control<readonly ChoiceView[]>("GET", "/choices"))).not.toContain(
      "agent.thread_fields",
    );
    await emulator.close();
  });

  it("is refused where nothing is noted, with the setting that notes it", async () => {
    await using emulator = await startEmulator();
    const reply = await emulator.request("/_emulator/v1/choices");
    expect(reply.status).toBe(409);
    expect(await reply.json()).toMatchObject({
      error: { code: "choices_not_noted", hint: expect.stringContaining("server.note_choices: true") },
    });
  });
});
