import { FAULT_PRESETS } from "../contracts/spec/faults.ts";
import { clientCommand } from "./client-command.ts";
import { UsageError } from "./command.ts";
import { exportsOf } from "./export/resources.ts";
import type { RunningWorld } from "./running.ts";

type Source = (world: RunningWorld) => Promise<readonly string[]>;

/** Names and ids that the running emulator knows, by their kind. */
const SOURCES = {
  worlds: async ({ client }) => (await client.worlds.list()).map(({ id }) => id),
  snapshots: async ({ client }) => (await client.snapshots.list()).map(({ name }) => name),
  exports: async (world) => (await exportsOf(world)).map(({ id }) => id),
  faults: async ({ client }) => (await client.faults.list()).map(({ id }) => id),
  deliveries: async ({ client }) => (await client.webhooks.deliveries()).map(({ id }) => id),
  limits: async ({ client }) => (await client.rateLimits.list()).rows.map(({ row }) => row),
} as const satisfies Readonly<Record<string, Source>>;

export type ValueKind = keyof typeof SOURCES;

/** What the operands of commands are, by the words of the command. */
export const OPERAND_VALUES: Readonly<Record<string, ValueKind>> = {
  "verify-export": "exports",
  "export show": "exports",
  "export runs": "exports",
  "export cancel": "exports",
  "clock until": "exports",
  why: "exports",
  "fault rm": "faults",
  "webhooks redeliver": "deliveries",
  "limits trip": "limits",
  "limits reset": "limits",
  "world diff": "worlds",
  "world rm": "worlds",
  "snapshot load": "snapshots",
  "snapshot rm": "snapshots",
  "snapshot export": "snapshots",
};

/** Operands that are known without an emulator. */
export const OPERAND_WORDS: Readonly<Record<string, readonly string[]>> = {
  "fault arm": Object.keys(FAULT_PRESETS),
};

/** What the values of flags are. */
export const FLAG_VALUES: Readonly<Record<string, ValueKind>> = { world: "worlds", export: "exports" };

const KINDS = Object.keys(SOURCES) as ValueKind[];

/** The command that the scripts call for the values of a running emulator. */
export const valuesCommand = clientCommand({
  summary: `print the names or ids of a running emulator: ${KINDS.join(", ")}; the scripts call it`,
  operands: ["<kind>"],
  prepare({ operands: [name = ""] }) {
    const kind = KINDS.find((each) => each === name);
    if (kind === undefined)
      throw new UsageError(`completion values: "${name}" is unknown; give one of ${KINDS.join(", ")}`);
    return (world) => SOURCES[kind](world);
  },
  lines: (values) => values,
});
