import { Refusal } from "../../kernel/refusal.ts";
import { isDeviceName } from "../../storage/device-names.ts";
import type { Manifests } from "../../storage/pool/manifests.ts";

type Known = Pick<Manifests, "worlds" | "snapshots">;

/** The snapshot of a world as the configuration begins it. */
export const SEEDED = "seeded";

const NAME = /^[a-z0-9](?:[a-z0-9._-]{0,61}[a-z0-9])?$/;

/** The first free name for a world that was given none. */
export function freeWorldName({ worlds, snapshots }: Known): string {
  for (let n = 1; ; n += 1) {
    const name = `world-${n}`;
    if (!worlds.has(name) && !snapshots.has(name)) return name;
  }
}

/** Refuses a name that a new world cannot have, or any when there are as many worlds as there may be. */
export function refuseWorldName({ worlds, snapshots }: Known, id: string, maxWorlds: number): void {
  refuseName(id);
  if (worlds.has(id)) throw nameTaken(`The world ${id} already exists. Choose another name.`);
  if (snapshots.has(id))
    throw nameTaken(
      `${id} is the name of a snapshot. Worlds and snapshots share their names, so choose another one.`,
    );
  if (worlds.size >= maxWorlds)
    throw new Refusal(
      422,
      "too_many_worlds",
      `${maxWorlds} worlds exist, the maximum.`,
      "Remove one with DELETE /_emulator/v1/worlds/{id}, or raise limits.worlds.",
    );
}

/** Refuses the name of a snapshot that is there and may not be replaced. */
export function refuseTakenSnapshot({ snapshots }: Known, name: string): void {
  if (!snapshots.has(name)) return;
  const hint = "Choose another name, or replace the snapshot (replace, or --force).";
  throw new Refusal(409, "taken", `The snapshot ${name} already exists.`, hint);
}

/** Refuses a name that a snapshot cannot have. */
export function refuseSnapshotName({ worlds, snapshots }: Known, name: string, maxSnapshots: number): void {
  refuseName(name);
  if (worlds.has(name))
    throw nameTaken(
      `${name} is the name of a world. Worlds and snapshots share their names, so choose another one.`,
    );
  const isNew = !snapshots.has(name);
  if (isNew && snapshots.size >= maxSnapshots)
    throw new Refusal(
      422,
      "too_many_snapshots",
      `There are ${maxSnapshots} snapshots already.`,
      "Remove one with DELETE /_emulator/v1/snapshots/{name}, or raise limits.snapshots.",
    );
}

/** Names are those of folders too, on every system; worlds and snapshots share them. */
function refuseName(name: string): void {
  if (name === SEEDED)
    throw invalid(`${SEEDED} is reserved for the state with the configured seed data. Choose another name.`);
  if (isDeviceName(name))
    throw invalid(`${name} is a device name on Windows, where a folder cannot have it. Choose another name.`);
  if (!NAME.test(name))
    throw invalid(
      `${JSON.stringify(name.slice(0, 100))} is not a valid name. Use 1 to 63 lower-case letters, digits, dots, dashes and underscores, with a letter or a digit at both ends.`,
    );
}

function invalid(message: string): Refusal {
  return new Refusal(422, "invalid_name", message);
}

function nameTaken(message: string): Refusal {
  return new Refusal(409, "taken", message);
}

/** Refuses the name of a world that does not exist. */
export function unknownWorld(id: string): Refusal {
  return new Refusal(
    404,
    "unknown_world",
    id === "" ? "The name of the world is empty." : `The world ${id} does not exist.`,
    'GET /_emulator/v1/worlds lists the worlds; POST /_emulator/v1/worlds {"id":…} creates one.',
  );
}

export function unknownSnapshot(name: string): Refusal {
  const hint = "GET /_emulator/v1/snapshots lists the snapshots.";
  return new Refusal(404, "unknown_snapshot", `The snapshot ${name} does not exist.`, hint);
}

/** Refuses a source of a new world that does not exist. */
export function unknownSource(name: string): Refusal {
  return new Refusal(
    404,
    "unknown_source",
    `${name} is neither a world nor a snapshot.`,
    "GET /_emulator/v1/worlds and GET /_emulator/v1/snapshots list the names.",
  );
}
