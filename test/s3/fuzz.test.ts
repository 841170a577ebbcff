import fc from "fast-check";
import { test } from "vitest";
import { openTestServer } from "./harness.ts";
import { anyRequest } from "./odd-requests.ts";
import { sendSigned } from "./signed-request.ts";

test("malformed requests cause no defect and no error of the server", async ({ expect }) => {
  const server = await openTestServer();
  const statuses = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(anyRequest, async (request) => {
      const { status } = await sendSigned(server, request);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      expect(server.defects).toEqual([]);
      expect(status === 501 || status < 500).toBe(true);
    }),
    { numRuns: 100, seed: 7 },
  );
  // An independent signer's requests got in, or nothing above would have been tried.
  expect((statuses.get(200) ?? 0) + (statuses.get(204) ?? 0)).toBeGreaterThan(0);
  expect(server.world.defect).toBeUndefined();
  await server.close();
});
