import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { endProcesses, start, workingFolder } from "../../support/emulator-process.ts";
import { runShell } from "../../support/user-project.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const EXAMPLE = "fixtures/examples/ci/compose.yaml";

interface Service {
  readonly image: string;
  readonly command?: string | readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly healthcheck?: object;
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
}
interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes?: Readonly<Record<string, unknown>>;
}

function composeFile(path: string): ComposeFile {
  return parse(readFileSync(join(ROOT, path), "utf8")) as ComposeFile;
}

afterEach(endProcesses);

describe.each(["compose.yaml", EXAMPLE])("%s", (path) => {
  const { services, volumes = {} } = composeFile(path);

  it("waits only for conditions that can occur", () => {
    // The health check of the emulator is that of its image.
    const healthy = Object.keys(services).filter(
      (name) => name === "emulator" || services[name]?.healthcheck,
    );
    const waits = Object.values(services).flatMap(({ depends_on = {} }) => Object.entries(depends_on));
    expect(waits.length).toBeGreaterThan(0);
    for (const [name, { condition }] of waits) {
      expect(Object.keys(services)).toContain(name);
      expect(["service_healthy", "service_completed_successfully"]).toContain(condition);
      if (condition === "service_healthy") expect(healthy).toContain(name);
    }
  });

  it("mounts only volumes that it declares, and folders", () => {
    const names = Object.values(services).flatMap((service) => service.volumes ?? []);
    const sources = names
      .map((volume) => volume.split(":")[0] ?? "")
      .filter((source) => !/^[./]/.test(source));
    expect(sources.sort()).toEqual(Object.keys(volumes).sort());
  });

  it("starts an emulator whose controls answer to the name of its service", async () => {
    const { command = [], environment = {} } = services.emulator ?? {};
    const flags = [command].flat().filter((word) => word !== "start");
    const { ready } = await start(["--ephemeral", ...flags], { cwd: workingFolder(), env: environment });
    const { hostname, port } = new URL(ready.url);
    const question = `curl -s --fail --resolve emulator:${port}:${hostname} http://emulator:${port}/_emulator/v1/status`;
    const { code, stdout, stderr } = await runShell(question, workingFolder(), "/usr/bin");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({ ready: true });
  });
});

it("the service of the example works with the emulator's address in place of its name", async () => {
  const { service, emulator } = composeFile(EXAMPLE).services;
  const flags = [emulator?.command ?? []].flat().slice(1);
  const { ready } = await start(["--ephemeral", ...flags], { cwd: workingFolder() });
  const environment = Object.entries(service?.environment ?? {}).map(([name, value]) => [
    name,
    value.replace("http://emulator:4700", ready.url).replace("http://emulator:4702", ready.s3_url),
  ]);
  // Compose reads `$$` as `$`.
  const [program = "", ...words] = [service?.command ?? []].flat().map((word) => word.replaceAll("$$", "$"));
  const quoted = [program, ...words].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
  const outcome = await runShell(quoted, workingFolder(), "/usr/bin", Object.fromEntries(environment));
  expect(outcome).toMatchObject({ code: 0, stderr: "" });
  expect(JSON.parse(outcome.stdout)).toMatchObject({ version: expect.any(String) });
});
