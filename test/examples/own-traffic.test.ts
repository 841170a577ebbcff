import { readFileSync } from "node:fs";
import { expect, expectTypeOf } from "vitest";
import * as contracts from "../../contracts/index.ts";
import { test } from "../../emulator/entries/vitest.ts";

const IMPORT = 'import { expectContract } from "trace-platform-emulator/contracts";\n';

/** The lines of the README's chapter, as a reader would copy them, without their import. */
function example(): string {
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  const chapter = readme.split(/^###? /m).find((text) => text.startsWith("Your own traffic\n")) ?? "";
  const [, block = ""] = /^```ts\n([\s\S]*?)^```$/m.exec(chapter) ?? [];
  expect(block).toContain(IMPORT);
  return block.replace(IMPORT, "");
}

type Run = (expectContract: typeof contracts.expectContract, url: string) => Promise<void>;
const AsyncFunction = (async () => {}).constructor as new (...parts: string[]) => Run;

test("the lines of the README judge an emulator's replies", async ({ emulator }) => {
  const seen: unknown[] = [];
  const run = new AsyncFunction("expectContract", "url", example());
  await run(async (...input) => {
    await contracts.expectContract(...input);
    seen.push(input[0]);
  }, emulator.url);
  expect(seen).toHaveLength(3);
});

test("and notice when one of them is not as it should be", async ({ emulator }) => {
  const run = new AsyncFunction("expectContract", "url", example().replace("body: []", "body: [{ id: 7 }]"));
  await expect(run(contracts.expectContract, emulator.url)).rejects.toThrow(
    /^GET \/api\/v1\/bulk-exports → 200 breaks the contract/,
  );
});

test("the entry exports what it promises", () => {
  expectTypeOf(contracts.expectContract).returns.toEqualTypeOf<Promise<void>>();
  expectTypeOf<Response>().toExtend<Parameters<typeof contracts.expectContract>[0]>();
  expect(contracts).toMatchObject({
    CASES: expect.any(Array),
    openOracle: expect.any(Function),
    contractMatchers: { toMatchContract: expect.any(Function) },
  });
});
