import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Emulator, startEmulator } from "../../emulator/runtime/index.ts";
import { run, runHere } from "../support/command-line.ts";
import { expectMistake, folderOfMistakes, MISTAKES, type Mistake } from "./mistakes.ts";

const { refused, denied: _, ...alone } = MISTAKES;

async function refuses(mistake: Mistake, env: Readonly<Record<string, string>> = {}): Promise<void> {
  const cwd = folderOfMistakes();
  await expectMistake(mistake, (words) => runHere(words, { cwd, env }));
}

it("has at least 120 mistakes", () => {
  expect(Object.values(MISTAKES).flat().length).toBeGreaterThanOrEqual(120);
});

describe.each(Object.entries(alone))("%s: a mistake is explained as text and as data", (_, mistakes) => {
  it.each(mistakes.map((each) => [each[0], each] as const))("emulator %s", (_, mistake) => refuses(mistake));
});

describe("a running emulator refuses", () => {
  let emulator: Emulator;
  beforeAll(async () => {
    emulator = await startEmulator({ clock: "frozen" });
  });
  afterAll(() => emulator.close());

  it.each(refused.map((each) => [each[0], each] as const))("emulator %s", (_, mistake) =>
    refuses(mistake, { EMULATOR_URL: emulator.url }),
  );

  it("EMULATOR_JSON is the same as --json", async () => {
    const { code, stdout } = await run(["stat"], { cwd: folderOfMistakes(), env: { EMULATOR_JSON: "1" } });
    expect({ code, error: JSON.parse(stdout) }).toMatchObject({
      code: 2,
      error: { error: { code: "wrong_use" } },
    });
  });
});
