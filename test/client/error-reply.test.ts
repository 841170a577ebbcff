import { afterAll, beforeAll, expect, it } from "vitest";
import { type Emulator, startEmulator } from "../../emulator/runtime/index.ts";

let emulator: Emulator;

beforeAll(async () => {
  emulator = await startEmulator({ clock: "frozen" });
});

afterAll(() => emulator.close());

it("a refusal names the next step, in the message and as a field, and the path of the request", async () => {
  const asking = () =>
    emulator.control<unknown>("POST", "/faults", { target: "worker", then: { crsh: true } });
  const error = await asking().catch((reason: Error) => reason);
  expect(error).toMatchObject({
    message: 'then: "crsh" is unknown. Did you mean crash? Known: crash, stall, error, delete_destination.',
    code: "unknown_then",
    hint: expect.stringContaining("Did you mean crash?"),
    status: 422,
  });
  const [first, second] = String((error as Error).stack).split("\n");
  expect(first).toBe(`ErrorReply: ${(error as Error).message}`);
  expect(second).toMatch(/asking .*error-reply\.test\.ts/);
});
