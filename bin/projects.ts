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
  const [project] = await world.api<readonly Project[]>(
    "GET",
    `/api/v1/sessions?name=${encodeURIComponent(name)}`,
  );
  if (project !== undefined) return project;
  const names = (await projectsOf(world)).slice(0, NAMED).map((each) => each.name);
  const hint =
    names.length === 0
      ? `The workspace has no projects yet; \`emulator traces send <file> --project ${name}\` creates one`
      : `Give one of ${names.join(", ")}`;
  throw new UsageError(`--project: the project ${name} does not exist. ${hint}.`);
}
