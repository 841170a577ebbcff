import { counted } from "../../contracts/report/counted.ts";
import { clientCommand } from "../client-command.ts";
import type { CommandGroup } from "../command.ts";
import type { RunningWorld } from "../running.ts";
import { catObject, readLocation, showRows } from "../s3/rows.ts";
import { aligned } from "../terminal.ts";

export const command: CommandGroup = {
  summary: "read the embedded object store of a running emulator; access keys and faults do not apply",
  actions: {
    ls: clientCommand({
      summary: "list the buckets, or the objects of a bucket below a prefix",
      reads: true,
      operands: ["[bucket/prefix]"],
      send: (world, { operands: [place] }) =>
        place === undefined ? bucketsOf(world) : objectsAt(world, place),
      lines: (entries) => aligned(entries.map(({ name, size, at }) => [name, size, at])),
    }),
    cat: catObject,
    rows: showRows,
  },
};

interface Entry {
  /** With the bucket, as the other actions take it. */
  readonly name: string;
  readonly size: string;
  readonly at: string;
}

async function bucketsOf({ client }: RunningWorld): Promise<readonly Entry[]> {
  const buckets = await client.objectStorage.buckets();
  return buckets.map(({ name, objects, created_at }) => ({
    name,
    size: counted(objects, "object"),
    at: created_at,
  }));
}

async function objectsAt({ client }: RunningWorld, text: string): Promise<readonly Entry[]> {
  const { bucket, key: prefix } = readLocation(text);
  const entries: Entry[] = [];
  for (let after: string | undefined = ""; after !== undefined; ) {
    const { objects, truncated } = await client.objectStorage.objects(bucket, prefix, after);
    for (const { key, size, last_modified } of objects)
      entries.push({ name: `${bucket}/${key}`, size: counted(size, "byte"), at: last_modified });
    after = truncated ? objects.at(-1)?.key : undefined;
  }
  return entries;
}
