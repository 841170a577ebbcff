import { expect, it } from "vitest";
import { createAddressTarget, runContracts } from "../../../contracts/index.ts";
import { tinyServer } from "../../contracts/stub-server.ts";

const CASE = "8.5/generate-key";

/**
 * Runs a row of §8.5 against a server without any test-only surface, which admits so many requests of a key. Its window ends after
 * `windowRequests`, once.
 */
async function resultOf(
  limit: number,
  more: { readonly implements?: readonly string[] } = {},
  status = 429,
  windowRequests?: number,
) {
  const counts = new Map<unknown, number>();
  let requests = 0;
  const server = await tinyServer(({ path, headers }) => {
    if (path !== "/generate") return { status: 200, body: [] };
    requests += 1;
    if (requests === windowRequests) counts.clear();
    const key = headers["x-api-key"];
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return { status: count > limit ? status : 422, body: {} };
  });
  const target = await createAddressTarget({ url: server.url, allowWrites: false, waitMs: 0, ...more });
  const { results } = await runContracts(target, { select: [CASE] });
  await target.close();
  await server.close();
  return results[0];
}

it.each([[429], [503]])(
  "a server that counts as the table says passes, whatever status refuses: %d",
  async (status) => {
    expect((await resultOf(30, {}, status))?.verdict).toBe(status === 429 ? "PASS" : "UNSPECIFIED");
  },
);

it.each([
  [29, /30 requests pass in us/],
  [31, /request 31 is refused in us/],
  [50, /request 31 is refused in us/],
])("a server that admits %d of 30 requests fails", async (limit, text) => {
  const result = await resultOf(limit);
  expect(result?.verdict).toBe("FAIL");
  expect(result?.findings[0]).toMatchObject({ requirement: "8.5-1", text: expect.stringMatching(text) });
});

it("a server whose window ends between the requests passes", async () => {
  expect((await resultOf(30, {}, 429, 20))?.verdict).toBe("PASS");
});

it("a server without limits is not checked, unless it is said to have them", async () => {
  const result = await resultOf(1000);
  expect(result?.verdict).toBe("UNSUPPORTED");
  expect(result?.findings[0]?.text).toMatch(/--implements 8\.5/);
  expect((await resultOf(1000, { implements: ["8.5"] }))?.verdict).toBe("FAIL");
});
