import {
  boolean,
  dateTime,
  eitherOf,
  integer,
  type ObjectOf,
  object,
  oneOf,
  optional,
  text,
} from "../../contracts/spec/fields.ts";
import { asOf } from "../kernel/as-of.ts";
import type { InitialSettings } from "../kernel/commit.ts";
import { instantMs } from "../kernel/instant.ts";
import { control, type FileReply } from "../subjects/control-operation.ts";
import { STREAMED_OPERATION } from "../subjects/control-prefix.ts";
import { SUPPLIED_SECRETS } from "../subjects/snapshot-secrets.ts";

const SWITCH = optional(integer({ minimum: 0, maximum: 1, default: 0 }));

/** A turn by its number, or an instant. */
const AS_OF = eitherOf([integer({ minimum: 0 }), text()]);

const INITIAL_SETTINGS = {
  seed: optional(integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  now: optional(dateTime()),
  clock: optional(oneOf(["flowing", "frozen"])),
};

/** The options in the body; undefined when all are default. */
function initialSettingsOf({
  seed,
  now,
  clock,
}: ObjectOf<typeof INITIAL_SETTINGS>): InitialSettings | undefined {
  const initialSettings = {
    ...(seed !== undefined && { seed }),
    ...(now !== undefined && { now: instantMs(now) }),
    ...(clock && { clock: { mode: clock, rate: 1 } }),
  };
  return Object.keys(initialSettings).length > 0 ? initialSettings : undefined;
}

/** Operations on worlds and snapshots. */
export const WORLD_OPERATIONS = [
  control({
    method: "GET",
    hasHistory: false,
    path: "/worlds",
    summary: "List the worlds of this process, with their addresses.",
    run: ({ worlds }) => worlds.list(),
  }),
  control({
    method: "GET",
    hasHistory: false,
    path: "/worlds/{world}",
    summary: "Show one world.",
    run: ({ worlds }, { path }) => worlds.find(path.world ?? ""),
  }),
  control({
    method: "GET",
    path: "/worlds/{world}/diff",
    hasHistory: false,
    summary:
      "List the differences between two worlds, or two points of one: records, trace rows, objects, due events, and the first turn that differs.",
    query: { with: text(), at: optional(text()), with_at: optional(text()) },
    run: ({ worlds }, { path, query, raw }) =>
      worlds.diff(
        { id: path.world ?? "", at: query.at === undefined ? undefined : asOf(query.at) },
        { id: query.with, at: query.with_at === undefined ? undefined : asOf(query.with_at) },
        raw.isAbandoned,
      ),
  }),
  control({
    method: "POST",
    path: "/worlds",
    stores: true,
    recorded: false,
    summary:
      'Create a world: empty, or a copy of a snapshot or of a world, now or as of a turn or an instant; `from: "seeded"` starts with the configured seed data.',
    body: object({ id: optional(text()), from: optional(text()), at: optional(AS_OF), ...INITIAL_SETTINGS }),
    run({ worlds }, { body: { id, from, at, ...own } }) {
      const initialSettings = initialSettingsOf(own);
      return worlds.create({
        id,
        from,
        at: at === undefined ? undefined : asOf(String(at)),
        initialSettings,
      });
    },
  }),
  control({
    method: "DELETE",
    path: "/worlds/{world}",
    recorded: false,
    summary: "Remove a world with its data; worlds and snapshots copied from it stay.",
    run: ({ worlds }, { path }) => worlds.remove(path.world ?? ""),
  }),
  control({
    method: "POST",
    path: "/rewind",
    stores: true,
    recorded: false,
    summary:
      "Return this world to its state after an earlier turn, or as of an instant. Later turns are no longer in its history; webhooks that were sent stay sent. `generation` (from the status) refuses this if the world was reset, loaded or rewound in the meantime.",
    body: object({ at: AS_OF, generation: optional(integer({ minimum: 0 })) }),
    run({ rewind, status }, { body }) {
      rewind(asOf(String(body.at)), body.generation);
      return status();
    },
  }),
  control({
    method: "GET",
    hasHistory: false,
    path: "/snapshots",
    summary: "List the snapshots of all worlds.",
    run: ({ snapshots }) => snapshots.list(),
  }),
  control({
    method: "POST",
    path: "/snapshots",
    stores: true,
    recorded: false,
    summary:
      "Save this world as a snapshot. It replaces a snapshot of the same name, unless `replace` is false.",
    body: object({ name: text(), replace: optional(boolean({ default: true })) }),
    run: ({ snapshots }, { body: { name, replace = true } }) => snapshots.save(name, replace),
  }),
  control({
    method: "POST",
    path: "/snapshots/{name}/load",
    stores: true,
    recorded: false,
    replaces: true,
    summary: "Replace the state of this world with a snapshot.",
    run: ({ snapshots }, { path }) => snapshots.load(path.name ?? ""),
  }),
  control({
    method: "GET",
    hasHistory: false,
    path: "/snapshots/{name}/file",
    summary: "Return a snapshot as one file for another machine; credentials are omitted.",
    async run({ snapshots }, { path }): Promise<FileReply> {
      const name = path.name ?? "";
      const { chunks, leftOut } = await snapshots.export(name);
      const headers = {
        "content-disposition": `attachment; filename="${name}.tar.gz"`,
        "x-emulator-left-out": `destinations=${leftOut.destinations}, keys=${leftOut.keys}`,
      };
      return { attachment: chunks, headers };
    },
  }),
  control({
    ...STREAMED_OPERATION,
    stores: true,
    recorded: false,
    summary:
      "Import a snapshot file, which is the body, under its own name or another one. Nothing changes unless the whole file is valid.",
    query: { name: optional(text()), replace: SWITCH },
    run({ snapshots }, { query, raw }) {
      const { name, replace } = query;
      return snapshots.import(raw.stream ?? chunksOf(raw.body), {
        name,
        mayReplace: replace === 1,
        isAbandoned: raw.isAbandoned,
      });
    },
  }),
  control({
    method: "PUT",
    path: "/secrets",
    summary:
      "Supply the secrets that this world, or the snapshot in `?snapshot`, lacks since it was imported from a file. The reply lists those that are still missing.",
    query: { snapshot: optional(text()) },
    body: SUPPLIED_SECRETS,
    run: ({ supplySecrets }, { query, body }) => ({ missing: supplySecrets(body, query.snapshot) }),
  }),
  control({
    method: "DELETE",
    path: "/snapshots/{name}",
    recorded: false,
    summary: "Remove a snapshot; worlds copied from it stay.",
    run({ snapshots }, { path }) {
      snapshots.remove(path.name ?? "");
      return { removed: path.name };
    },
  }),
] as const;

async function* chunksOf(body: Uint8Array): AsyncGenerator<Uint8Array> {
  yield body;
}
