import type { AnyCommand } from "./command.ts";

/** Loads the module of a command. */
type Load = () => Promise<{ readonly command: AnyCommand }>;

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
  traces: () => import("./commands/traces.ts"),
  export: () => import("./commands/export.ts"),
  clock: () => import("./commands/clock.ts"),
  fault: () => import("./commands/fault.ts"),
  webhooks: () => import("./commands/webhooks.ts"),
  limits: () => import("./commands/limits.ts"),
  s3: () => import("./commands/s3.ts"),
  logs: () => import("./commands/logs.ts"),
  world: () => import("./commands/world.ts"),
  snapshot: () => import("./commands/snapshot.ts"),
  reset: () => import("./commands/reset.ts"),
  stop: () => import("./commands/stop.ts"),
  doctor: () => import("./commands/doctor.ts"),
};
