import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { ASSUMPTION_IDS, ASSUMPTIONS } from "../../contracts/spec/assumptions.ts";
import { LIMITS, TIMINGS } from "../../contracts/spec/limits.ts";
import { childEnvironment } from "../../emulator/client/child-environment.ts";
import { type Resolution, resolveConfiguration, type Sources } from "../../emulator/config/resolve.ts";
import { FIXTURES_URL } from "../../emulator/entries/fixtures/defaults.ts";
import { workingFolder } from "../support/emulator-process.ts";

type Resolved = Extract<Resolution, { ok: true }>;

let cwd: string;

beforeEach(() => {
  cwd = workingFolder();
});

async function resolved(sources: Partial<Sources> = {}): Promise<Resolved> {
  const resolution = await resolveConfiguration({ cwd, discover: true, ...sources });
  if (!resolution.ok) throw new Error(resolution.problems.join("\n"));
  return resolution;
}

async function problemsOf(sources: Partial<Sources>): Promise<readonly string[]> {
  const resolution = await resolveConfiguration({ cwd, discover: true, ...sources });
  if (resolution.ok) throw new Error("no problem was found");
  return resolution.problems;
}

function file(name: string, text: string): void {
  writeFileSync(join(cwd, name), text);
}

const KEY_PAIR = { access_key_id: "reader", secret_access_key: "reader-secret" };

describe("defaults", () => {
  it("match the tables of the specification", async () => {
    const { configuration } = await resolved();
    const { limits, timings, assumptions } = configuration.settings;
    expect(limits.max_retries).toBe(LIMITS.max_retries.value);
    expect(limits.workflow_timeout_ms).toBe(72 * 3_600_000);
    expect(timings.spawn_grace_ms).toBe(10 * 60_000);
    const names = (table: object) => Object.keys(table).map((key) => key.replace(/_ms$/, ""));
    expect(names(limits)).toEqual(Object.keys(LIMITS));
    expect(names(timings)).toEqual(Object.keys(TIMINGS));
    for (const id of ASSUMPTION_IDS) expect(assumptions[id], id).toBe(ASSUMPTIONS[id].choice);
  });

  it("listen on 4700 of the loopback and keep data in the working folder", async () => {
    const { configuration } = await resolved();
    expect(configuration).toMatchObject({
      port: 4700,
      host: "127.0.0.1",
      dataFolder: join(cwd, ".emulator"),
    });
    expect(configuration).toMatchObject({ now: null, clock: { mode: null, rate: null }, allowedHosts: [] });
  });
});

describe("precedence", () => {
  it("is options, flags, environment, file, defaults", async () => {
    file("emulator.config.yaml", "server: { port: 1001 }\nseed: 1001\nprofile: observed\n");
    const env = { EMULATOR_PORT: "1002", EMULATOR_SEED: "1002" };
    const flags = { port: "1003" };
    expect((await resolved()).configuration).toMatchObject({ port: 1001, seed: 1001 });
    expect((await resolved({ env })).configuration).toMatchObject({ port: 1002, seed: 1002 });
    expect((await resolved({ env, flags })).configuration).toMatchObject({ port: 1003, seed: 1002 });
    expect((await resolved({ env, flags, options: { port: 0 } })).configuration).toMatchObject({ port: 0 });
  });

  it("lets a single assumption win over the profile", async () => {
    const observed = await resolved({ flags: { profile: "observed" } });
    expect(observed.configuration.settings.assumptions["export.status_casing"]).toBe("title");
    expect(observed.configuration.settings.assumptions["export.time_zone"]).toBe(
      ASSUMPTIONS["export.time_zone"].choice,
    );
    const mixed = await resolved({
      flags: { profile: "observed" },
      options: { assumptions: { "export.status_casing": "upper" } },
    });
    expect(mixed.configuration.settings.assumptions["export.status_casing"]).toBe("upper");
    expect(mixed.configuration.settings.assumptions["export.partition_padding"]).toBe("unpadded");
  });
});

describe("sources", () => {
  it("take nested keys from the environment", async () => {
    const env = {
      EMULATOR_LIMITS__WORKFLOW_TIMEOUT: "PT48H",
      EMULATOR_SERVER__ALLOWED_HOSTS: "emulator, proxy.local",
      EMULATOR_ASSUMPTIONS__EXPORT__STATUS_CASING: "title",
      EMULATOR_WEBHOOKS__URL__ALLOWED_PORTS: "443,8443",
    };
    const { configuration } = await resolved({ env });
    expect(configuration.settings.limits.workflow_timeout_ms).toBe(48 * 3_600_000);
    expect(configuration.allowedHosts).toEqual(["emulator", "proxy.local"]);
    expect(configuration.settings.assumptions["export.status_casing"]).toBe("title");
    expect(configuration.settings.webhooks.url).toMatchObject({ allowed_ports: [443, 8443] });
  });

  it("read a JSON file like a YAML file, and paths in it start from its folder", async () => {
    file("rows.ndjson", "");
    file(
      "own.json",
      '{"server":{"data":"kept"},"seed_data":{"traces":[{"file":"rows.ndjson","project":"p"}]}}',
    );
    const { configuration } = await resolved({ cwd: tmpdir(), flags: { config: join(cwd, "own.json") } });
    expect(configuration.dataFolder).toBe(join(cwd, "kept"));
    expect(configuration.seedData.traces).toEqual([{ file: join(cwd, "rows.ndjson"), project: "p" }]);
  });

  it("leave variables alone that belong to other programs or to other commands", async () => {
    const env = {
      EMULATOR_URL: "http://127.0.0.1:1",
      EMULATOR_HUB_CHANNEL: "x",
      EMULATOR_PORT: "",
      HOME: "/",
    };
    expect((await resolved({ env })).configuration.port).toBe(4700);
  });

  it("leave the variables alone that `env` and `exec` set, so that a command of exec may start another emulator", async () => {
    const address = "http://127.0.0.1:1";
    const addresses = childEnvironment({ url: address, eu_url: address, s3_url: address });
    const env = { ...addresses, [FIXTURES_URL]: address };
    expect((await resolved({ env })).configuration.port).toBe(4700);
  });

  it("follow a setting in the assumptions that name it", async () => {
    const { configuration } = await resolved({
      options: { strict: true, limits: { workflow_timeout: "PT48H", max_retries: 3 } },
    });
    expect(configuration.settings.assumptions).toMatchObject({
      "platform.unknown_fields": "refuse",
      "export.workflow_timeout": "PT48H",
      "export.max_retries": 3,
    });
  });
});

describe("problems", () => {
  it("name the nearest known key", async () => {
    file("emulator.config.yaml", "limits:\n  workflow_timout: PT48H\nprot: 4700\n");
    expect(await problemsOf({ env: { EMULATOR_LIMITS__MAX_RETRYS: "3", EMULATOR_PROT: "1" } })).toEqual([
      "emulator.config.yaml: limits.workflow_timout: unknown key; did you mean workflow_timeout?",
      "emulator.config.yaml: prot: unknown key; did you mean server.port?",
      "EMULATOR_LIMITS__MAX_RETRYS: unknown setting; did you mean EMULATOR_LIMITS__MAX_RETRIES?",
      "EMULATOR_PROT: unknown setting; did you mean EMULATOR_PORT?",
    ]);
  });

  it.each([
    [
      { flags: { port: "65534" } },
      "--port: 65534 is not valid; give an integer from 0 to 65533, since EU and S3 use the next two ports",
    ],
    [{ flags: { seed: "-1" } }, "--seed: -1 is not valid; give an integer of 0 or more"],
    [
      { flags: { now: "2026-02-30T00:00:00Z" } },
      /^--now: "2026-02-30T00:00:00Z" is not valid; give an ISO 8601 instant/,
    ],
    [{ flags: { clock: "fast" } }, '--clock: "fast" is not valid; give one of wall, flowing, frozen'],
    [
      { options: { limits: { run_timeout: "4H" } } },
      /^options: limits.run_timeout: "4H" is not valid; give a duration such as 6h/,
    ],
    [
      { options: { limits: 3 } },
      /^options: limits: must be an object of the form `name: value`; give it max_concurrent_runs_per_export/,
    ],
    [
      { options: { assumptions: { "export.start": "x" } } },
      /this assumption cannot be set here; set timings.one_off_start_delay instead$/,
    ],
    [
      { options: { assumptions: { "export.status_casing": "lower" } } },
      /"lower" is not valid; give one of "upper", "title"$/,
    ],
    [
      { options: { auth: { mode: "keys" } } },
      "auth.mode: keys accepts only listed keys, and none is listed; list keys under auth.keys, or give any",
    ],
    [{ flags: { config: "absent.yaml" } }, "absent.yaml: file not found; check the path given with --config"],
    [
      { options: { seed_data: { traces: [{ file: "absent", project: "p" }] } } },
      /absent cannot be read; check its path$/,
    ],
    [
      { options: { seed_data: { buckets: ["No_Bucket"] } } },
      /^options: seed_data\.buckets: .* is not valid; give a list of bucket names/,
    ],
    [
      { options: { seed_data: { keys: [{ access_key_id: "a b", secret_access_key: "s" }] } } },
      /^options: seed_data\.keys: the value \(\[0\]\.access_key_id: must be letters, digits and .*\) is not valid; give/,
    ],
    [
      { options: { seed_data: { keys: [KEY_PAIR, KEY_PAIR] } } },
      "seed_data.keys: reader is listed twice; keep one of them",
    ],
  ])("are one line with the next step: %j", async (sources, line) => {
    const problems = await problemsOf(sources);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(
      line instanceof RegExp ? line : new RegExp(`^${line.replace(/[.?]/g, "\\$&")}$`),
    );
  });

  it("never quote a secret, nor a line of a file that does not parse", async () => {
    const secret = "hunter2-hunter2";
    file("emulator.config.yaml", `auth:\n  keys: [{ key: ${secret} }\nseed: 1\n`);
    file("broken.json", `{"auth":{"keys":[{"key":"${secret}"}}`);
    const wrong = { auth: { keys: [{ key: secret }] }, webhooks: { headers: { "x-token": [secret] } } };
    const texts = [
      ...(await problemsOf({})),
      ...(await problemsOf({ flags: { config: "broken.json" } })),
      ...(await problemsOf({ discover: false, options: wrong })),
    ];
    expect(texts.join("\n")).not.toContain(secret);
    expect(texts[0]).toMatch(/^emulator.config.yaml, line \d+, column \d+: not valid YAML/);
    expect(texts.length).toBeGreaterThanOrEqual(4);
  });

  it("arise from two configuration files side by side", async () => {
    file("emulator.config.yaml", "seed: 1\n");
    file("emulator.config.json", "{}");
    expect(await problemsOf({})).toEqual([
      "emulator.config.yaml, emulator.config.json: more than one configuration file; keep one, or name one with --config",
    ]);
  });
});
