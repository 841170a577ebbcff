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
  if (worlds.has(id)) throw nameTaken(`There is a world ${id} already; choose another name.`);
  if (snapshots.has(id))
    throw nameTaken(`${id} is the name of a snapshot; worlds and snapshots share their names.`);
  if (worlds.size >= maxWorlds)
    throw new Refusal(
      422,
      "too_many_worlds",
      `There are ${maxWorlds} worlds already.`,
      "Remove one with DELETE /_emulator/v1/worlds/{id}, or raise limits.worlds.",
    );
}

/** Refuses the name of a snapshot that is there and may not be replaced. */
export function refuseTakenSnapshot({ snapshots }: Known, name: string): void {
  if (!snapshots.has(name)) return;
  const hint = "Give another name, or allow it to be replaced (replace, or --force).";
  throw new Refusal(409, "taken", `There is a snapshot ${name} already.`, hint);
}

/** Refuses a name that a snapshot cannot have. */
export function refuseSnapshotName({ worlds, snapshots }: Known, name: string, snapshotsMax: number): void {
  refuseName(name);
  if (worlds.has(name))
    throw nameTaken(`${name} is the name of a world; worlds and snapshots share their names.`);
  const isNew = !snapshots.has(name);
  if (isNew && snapshots.size >= snapshotsMax)
    throw new Refusal(
      422,
      "too_many_snapshots",
      `There are ${snapshotsMax} snapshots already.`,
      "Remove one with DELETE /_emulator/v1/snapshots/{name}, or raise limits.snapshots.",
    );
}

/** Names are those of folders too, on every system; worlds and snapshots share them. */
function refuseName(name: string): void {
  if (name === SEEDED)
    throw invalid(`${SEEDED} is a world as the configuration begins it; choose another name.`);
  if (isDeviceName(name))
    throw invalid(
      `${name} is the name of a device on Windows, where no folder can have it; choose another name.`,
    );
  if (!NAME.test(name))
    throw invalid(
      `${JSON.stringify(name.slice(0, 100))} is no name: 1 to 63 lower-case letters, digits, dots, dashes and underscores, beginning and ending with a letter or digit.`,
    );
}

function invalid(message: string): Refusal {
  return new Refusal(422, "invalid_name", message);
}

function nameTaken(message: string): Refusal {
  return new Refusal(409, "taken", message);
}

/** For a request that names a world which is not there. */
export function unknownWorld(id: string): Refusal {
  return new Refusal(
    404,
    "unknown_world",
    id === "" ? "The world has no name." : `There is no world ${id}.`,
    'POST /_emulator/v1/worlds {"id":…} makes one; GET /_emulator/v1/worlds lists them.',
  );
}

/** For a request that names a snapshot which is not there. */
export function unknownSnapshot(name: string): Refusal {
  const hint = "GET /_emulator/v1/snapshots lists them.";
  return new Refusal(404, "unknown_snapshot", `There is no snapshot ${name}.`, hint);
}

/** For a world that is to go on from something which is not there. */
export function unknownSource(name: string): Refusal {
  return new Refusal(
    404,
    "unknown_source",
    `There is neither a world nor a snapshot ${name}.`,
    "GET /_emulator/v1/worlds and GET /_emulator/v1/snapshots list them.",
  );
}
