import { expect, it } from "vitest";
import { createAddressTarget, runContracts } from "../../../contracts/index.ts";
import { startPlainEmulator } from "./plain-emulator.ts";

const QUICK = { one_off_start_delay: "PT0.01S", file_duration: "PT0.01S" } as const;

interface Reach {
  readonly hasStore: boolean;
  readonly waitMs: number;
  readonly least: number;
}

/** What the harness knows of a complete server whose clock runs, and the least number of cases that it checks there. */
const REACHES: readonly Reach[] = [
  { hasStore: false, waitMs: 0, least: 150 },
  { hasStore: true, waitMs: 10_000, least: 195 },
];

it.each(REACHES)(
  "a complete server without a control API passes all cases that can be checked there: $least with $waitMs ms, store $hasStore",
  async ({ hasStore, waitMs, least }) => {
    const server = await startPlainEmulator({ rateLimits: "on", timings: QUICK });
    const keys = { accessKeyId: "emulator", secretAccessKey: "emulator-secret" };
    const s3 = { endpoint: server.s3Url, name: "traces", region: "us-east-1", ...keys };
    const options = { url: server.url, allowWrites: true, waitMs, ...(hasStore && { s3 }) };
    const target = await createAddressTarget(options);
    const { results } = await runContracts(target, {});
    await target.close();
    await server.close();
    const checked = results.filter(({ verdict }) => verdict !== "UNSUPPORTED");
    const wrong = checked.filter(({ verdict }) => verdict !== "PASS");
    expect(wrong.map(({ id, verdict, findings }) => [id, verdict, findings.map(({ text }) => text)])).toEqual(
      [],
    );
    expect(checked.length).toBeGreaterThanOrEqual(least);
  },
);
