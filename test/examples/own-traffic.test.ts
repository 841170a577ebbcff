import { expect, expectTypeOf } from "vitest";
import * as contracts from "../../contracts/index.ts";
import { test } from "../../emulator/entries/vitest.ts";
import { blocksOf } from "../docs/markdown.ts";

const IMPORT = 'import { expectContract } from "trace-platform-emulator/contracts";\n';

const ADDRESS = /^const url = .*\n/m;

/** The lines of the chapter on one's own traffic, as a reader would copy them, without their import and address. */
function example(): string {
  const block =
    blocksOf("docs/do/check-recorded-traffic.md").find(({ language }) => language === "ts")?.text ?? "";
  expect(block).toContain(IMPORT);
  expect(block).toMatch(ADDRESS);
  return block.replace(IMPORT, "").replace(ADDRESS, "");
}

type Run = (expectContract: typeof contracts.expectContract, url: string) => Promise<void>;
const AsyncFunction = (async () => {}).constructor as new (...parts: string[]) => Run;

test("the lines of the page check an emulator's replies", async ({ emulator }) => {
  const events: unknown[] = [];
  const run = new AsyncFunction("expectContract", "url", example());
  await run(async (...input) => {
    await contracts.expectContract(...input);
    events.push(input[0]);
  }, emulator.url);
  expect(events).toHaveLength(3);
});

test("and fail when a reply is not as specified", async ({ emulator }) => {
  const run = new AsyncFunction("expectContract", "url", example().replace("body: []", "body: [{ id: 7 }]"));
  await expect(run(contracts.expectContract, emulator.url)).rejects.toThrow(
    /^GET \/api\/v1\/bulk-exports → 200 breaks the contract/,
  );
});

test("the entry has the documented exports", () => {
  expectTypeOf(contracts.expectContract).returns.toEqualTypeOf<Promise<void>>();
  expectTypeOf<Response>().toExtend<Parameters<typeof contracts.expectContract>[0]>();
  expect(contracts).toMatchObject({
    CASES: expect.any(Array),
    openOracle: expect.any(Function),
    contractMatchers: { toMatchContract: expect.any(Function) },
  });
});
