import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { childEnvironment } from "../../emulator/client/child-environment.ts";
import { EmulatorContainer, StartedEmulatorContainer } from "../../emulator/entries/testcontainers.ts";
import { startEmulator } from "../../emulator/runtime/index.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const read = (name: string) => readFileSync(`${ROOT}${name}`, "utf8");

/** What an engine would answer with: a host, and a port for each of the container's. */
function startedAt(ports: Readonly<Record<number, number>>) {
  return { getHost: () => "127.0.0.1", getMappedPort: (port: number) => ports[port] } as never;
}

describe("the container class", () => {
  it("returns the address of the started container, and controls it", async () => {
    const emulator = await startEmulator({ clock: "frozen", now: "2026-01-01T00:00:00Z" });
    try {
      const portOf = (url: string) => Number(new URL(url).port);
      const ports = {
        4700: portOf(emulator.url),
        4701: portOf(emulator.euUrl),
        4702: portOf(emulator.s3Url),
      };
      const starts = new StartedEmulatorContainer(startedAt(ports));
      expect([starts.url, starts.euUrl, starts.s3Url]).toEqual([
        emulator.url,
        emulator.euUrl,
        emulator.s3Url,
      ]);
      expect(starts.environment()).toEqual(
        childEnvironment({ url: emulator.url, eu_url: emulator.euUrl, s3_url: emulator.s3Url }),
      );
      await starts.control("POST", "/clock/advance", { by: "PT1H" });
      expect(emulator.clock.now()).toBe("2026-01-01T01:00:00.000000Z");
      await expect(starts.control("POST", "/clock/advance", { by: "an hour" })).rejects.toThrow(
        /must be a duration/,
      );
    } finally {
      await emulator.close();
    }
  });

  it("sets the clock and the seed by the environment", () => {
    const container = new EmulatorContainer()
      .withFrozenClock("2026-01-01T00:00:00Z")
      .withSeed(3) as EmulatorContainer & {
      readonly environment: Record<string, string>;
      readonly exposedPorts: readonly number[];
    };
    expect(container.environment).toEqual({
      EMULATOR_EPHEMERAL: "true",
      EMULATOR_CLOCK: "frozen",
      EMULATOR_NOW: "2026-01-01T00:00:00Z",
      EMULATOR_SEED: "3",
    });
    container.withAllowedHosts("platform").withAllowedHosts("a.test", "b.test");
    expect(container.environment).toMatchObject({ EMULATOR_ALLOWED_HOSTS: "platform,a.test,b.test" });
    expect(container.exposedPorts).toEqual([4700, 4701, 4702]);
  });
});

describe("an emulator that is bound to every address", () => {
  it("names one that this machine reaches, and that its controls answer to", async () => {
    const emulator = await startEmulator({ host: "0.0.0.0" });
    try {
      expect(emulator.url).toMatch(/^http:\/\/127\.0\.0\.1:/);
      expect((await fetch(`${emulator.url}/_emulator/v1/status`)).status).toBe(200);
    } finally {
      await emulator.close();
    }
  });
});

describe("the image", () => {
  const dockerfile = read("Dockerfile");

  it("runs as an unprivileged user, with a health check, and copies no secrets or data of the folder", () => {
    expect(dockerfile).toMatch(/^USER 1000:1000$/m);
    expect(dockerfile).toMatch(/^HEALTHCHECK /m);
    expect(dockerfile).toMatch(/^EXPOSE 4700 4701 4702$/m);
    const ignored = read(".dockerignore").split("\n");
    for (const name of ["node_modules", ".git", "**/.emulator", "dist"]) expect(ignored).toContain(name);
  });

  it("contains the files of the package, and its dependencies", () => {
    const { files } = JSON.parse(read("package.json")) as { files: readonly string[] };
    const moved = [...dockerfile.matchAll(/&& mv (.*) \/image/g)].flatMap(([, names]) => names?.split(" "));
    const included = files.filter((name) => !name.startsWith("!"));
    expect(moved).toEqual(expect.arrayContaining([...included, "node_modules", "package.json", "LICENSE"]));
  });

  it("runs in the compose file together with another object store", () => {
    const { services } = parse(read("compose.yaml")) as { services: Record<string, Record<string, unknown>> };
    expect(Object.keys(services)).toEqual(["emulator", "minio", "bucket"]);
    expect(services.emulator?.ports).toEqual([4700, 4701, 4702].map((port) => `127.0.0.1:${port}:${port}`));
  });
});
