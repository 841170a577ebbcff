import type { Command } from "./command.ts";

/** Loads the module of a command. */
type Load = () => Promise<{ readonly command: Command }>;

/** In the order in which help lists them. */
export const COMMANDS: Readonly<Record<string, Load>> = {
  start: () => import("./commands/start.ts"),
  demo: () => import("./commands/demo.ts"),
  exec: () => import("./commands/exec.ts"),
  replay: () => import("./commands/replay.ts"),
  "verify-export": () => import("./commands/verify-export.ts"),
  openapi: () => import("./commands/openapi.ts"),
  contract: () => import("./commands/contract.ts"),
  wait: () => import("./commands/wait.ts"),
  status: () => import("./commands/status.ts"),
  env: () => import("./commands/env.ts"),
  world: () => import("./commands/world.ts"),
  snapshot: () => import("./commands/snapshot.ts"),
  reset: () => import("./commands/reset.ts"),
  stop: () => import("./commands/stop.ts"),
  doctor: () => import("./commands/doctor.ts"),
};
