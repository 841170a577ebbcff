import { execFile, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const SHUT_MS = 60_000;

/** Named by `run.mjs`, which has made both of them. */
export const IMAGE = process.env.CONTAINER_IMAGE ?? "";
export const BASE_IMAGE = process.env.CONTAINER_BASE_IMAGE ?? "";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export async function docker(...words: readonly string[]): Promise<string> {
  const { stdout } = await run("docker", words, { maxBuffer: 64 * 1024 * 1024 });
  return stdout.trim();
}

export async function inspected<T>(name: string, format: string): Promise<T> {
  return JSON.parse(await docker("inspect", "--format", `{{json ${format}}}`, name)) as T;
}

/** Resolves when the engine's own health checks say so, which it reports as an event, also when that is past. */
export function healthy(container: string): Promise<void> {
  const filters = [`container=${container}`, "event=health_status: healthy"];
  const events = spawn("docker", [
    "events",
    "--since",
    "10m",
    ...filters.flatMap((filter) => ["--filter", filter]),
  ]);
  return new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => void unhealthy(container).then(reject), SHUT_MS);
    events.once("error", reject);
    events.stdout.once("data", () => {
      clearTimeout(timer);
      resolve();
    });
  }).finally(() => events.kill());
}

async function unhealthy(container: string): Promise<Error> {
  const [state, said] = await Promise.all([
    docker("inspect", "--format", "{{json .State}}", container),
    docker("logs", container),
  ]);
  return new Error(`The container does not become healthy.\n${state}\n${said}`);
}

/** Address of a container's port on this machine. */
export async function addressOf(container: string, port: number): Promise<string> {
  const [line = ""] = (await docker("port", container, `${port}/tcp`)).split("\n");
  return `http://${line.replace("0.0.0.0", "127.0.0.1")}`;
}
