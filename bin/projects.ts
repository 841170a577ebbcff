import { UsageError } from "./command.ts";
import type { RunningWorld } from "./running.ts";

/** A tracing project as `GET /sessions` lists it. */
export interface Project {
  readonly id: string;
  readonly name: string;
}

const NAMED = 10;

/** The tracing projects of the workspace, at most a hundred. */
export function projectsOf({ api }: RunningWorld): Promise<readonly Project[]> {
  return api("GET", "/api/v1/sessions");
}

/** The project of this name. Throws a `UsageError` that names those that there are. */
export async function projectNamed(world: RunningWorld, name: string): Promise<Project> {
  const [found] = await world.api<readonly Project[]>(
    "GET",
    `/api/v1/sessions?name=${encodeURIComponent(name)}`,
  );
  if (found !== undefined) return found;
  const names = (await projectsOf(world)).slice(0, NAMED).map((project) => project.name);
  const known = names.length === 0 ? "there is none yet; send traces first" : `there is ${names.join(", ")}`;
  throw new UsageError(`--project: no project ${name}; ${known}`);
}
