import { expect, it, onTestFinished } from "vitest";
import { type Addresses, createAddressTarget, runContracts } from "../../../contracts/index.ts";
import { Unreachable } from "../../../contracts/targets/send.ts";
import { startEmulator } from "../../../emulator/runtime/index.ts";
import { type AdapterMistakes, startPlainEmulator } from "./plain-emulator.ts";

async function openTarget(mistakes: AdapterMistakes = {}, more: Partial<Addresses> = {}) {
  const server = await startPlainEmulator({ clock: "frozen", now: "2026-03-02T00:00:00Z" }, mistakes);
  onTestFinished(server.close);
  const { url, adapterUrl } = server;
  const target = await createAddressTarget({ url, adapterUrl, allowWrites: false, waitMs: 0, ...more });
  onTestFinished(target.close);
  return target;
}

it("lets cases move the clock of a foreign server, and start it with their settings", async () => {
  const select = [
    "4.8/cron-fires",
    "6.1/require-https",
    "6.1/disabled",
    "8.5/generate-key",
    "2.5/scheduled-service-0.10.41",
  ];
  const { results } = await runContracts(await openTarget(), { select });
  expect(results.map(({ id, verdict }) => [id, verdict]).sort()).toEqual([
    ["2.5/scheduled-service-0.10.41", "UNSUPPORTED"],
    ...["4.8/cron-fires", "6.1/disabled", "6.1/require-https", "8.5/generate-key"].map((id) => [id, "PASS"]),
  ]);
});

it.each([
  ["clockStands", /was moved to .*, but stands at/],
  ["ownClock", /the reply to POST \/threads is stamped/],
  ["keepsRecords", /is still there after .*\/reset/],
] as const)("refuses an adapter with the mistake %s", async (mistake, message) => {
  await expect(openTarget({ [mistake]: true })).rejects.toThrow(message);
});

it.each([
  ["confirmsNothing", "6.1/require-https", /which the adapter does not apply/],
  ["ignoresSettings", "2.5/scheduled-service-0.10.100", /GET \/info still reports/],
] as const)(
  "does not test settings that an adapter with the mistake %s leaves out",
  async (mistake, id, reason) => {
    const { results } = await runContracts(await openTarget({ [mistake]: true }), { select: [id] });
    expect(results[0]?.verdict).toBe("UNSUPPORTED");
    expect(results[0]?.findings[0]?.text).toMatch(reason);
  },
);

it("reads only the files of its own case from a bucket that /reset leaves as it is", async () => {
  const store = await startEmulator();
  onTestFinished(() => store.close());
  const keys = { accessKeyId: "emulator", secretAccessKey: "emulator-secret" };
  const s3 = { endpoint: store.s3Url, name: "traces", region: "us-east-1", ...keys };
  const { results } = await runContracts(await openTarget({}, { s3 }), {
    select: ["2.5/filter-grammar", "2.7/values"],
  });
  expect(results.map(({ verdict }) => verdict)).toEqual(["PASS", "PASS"]);
});

it("is not opened for an emulator, and must have a route", async () => {
  const server = await startPlainEmulator();
  onTestFinished(server.close);
  const { url } = server;
  await expect(createAddressTarget({ url, adapterUrl: url, allowWrites: false })).rejects.toThrow(
    /none of the routes of an adapter/,
  );
});

it("an adapter that does not answer has not refused the settings", async () => {
  const target = await openTarget();
  const open = (settings?: object) =>
    settings ? Promise.reject(new Unreachable("the adapter is gone")) : target.open();
  const { results } = await runContracts({ ...target, open }, { select: ["6.1/versions"] });
  expect(results[0]?.verdict).toBe("FAIL");
  expect(results[0]?.findings.map(({ text }) => text).join()).toContain("the adapter is gone");
});

it("another default prefix of variables conforms", async () => {
  const target = await openTarget();
  const open: typeof target.open = async (settings = {}) => {
    const { webhooks, environment } = settings as Readonly<Record<string, Record<string, unknown>>>;
    const prefix = String(webhooks?.env_prefix ?? "ABC_WEBHOOK_");
    for (const [, name = ""] of JSON.stringify(webhooks?.headers ?? {}).matchAll(/env\.(\w+)/g)) {
      if (!name.startsWith(prefix)) throw new Error(`${name} does not begin with ${prefix}`);
      if (!environment?.[name]) throw new Error(`${name} is missing`);
    }
    return target.open();
  };
  const { results } = await runContracts({ ...target, open }, { select: ["6.1/env", "6.1/empty-variable"] });
  expect(results.map(({ id, verdict }) => [id, verdict])).toEqual([
    ["6.1/env", "UNSPECIFIED"],
    ["6.1/empty-variable", "UNSPECIFIED"],
  ]);
});

it("no case fails on a server that refuses relative webhooks", async () => {
  const server = await startPlainEmulator({ webhooks: { url: { disable_loopback: true } } });
  const target = await createAddressTarget({ url: server.url, allowWrites: true, waitMs: 0 });
  const { results } = await runContracts(target, { select: ["4.8"] });
  await target.close();
  await server.close();
  const failures = results.filter(({ verdict }) => verdict === "FAIL").map(({ id }) => id);
  expect(failures).toEqual([]);
  expect(results.filter(({ verdict }) => verdict === "PASS").length).toBeGreaterThanOrEqual(8);
});
