import { statSync } from "node:fs";
import { resolve } from "node:path";
import {
  exportSnapshot,
  importSnapshot,
  type SnapshotTransport,
} from "../../emulator/runtime/library/snapshot-files.ts";
import type { SnapshotView } from "../../emulator/subjects/control-operation.ts";
import { clientCommand, type Work } from "../client-command.ts";
import {
  CommandFailure,
  type CommandGroup,
  type Flags,
  type Invocation,
  TARGET_FLAGS,
  UsageError,
} from "../command.ts";
import type { RunningWorld } from "../running.ts";
import { missingLines } from "../snapshot/lines.ts";
import { transportTo } from "../snapshot/transport.ts";

const FORCE: Flags = { force: { help: "replace an existing snapshot of that name" } };

export const command: CommandGroup = {
  summary: "saved states of the worlds of a running emulator, and their files",
  actions: {
    save: clientCommand({
      summary: "save the world as it is now",
      operands: ["<name>"],
      flags: FORCE,
      send: ({ client }, { operands: [name = ""], flags }) =>
        client.snapshots.save(name, { replace: flags.force === true }),
      lines: ({ name, of, now }) => [`${name} is saved (${of} at ${now})`],
    }),
    load: clientCommand({
      summary: "replace the content of the world by a snapshot",
      operands: ["<name>"],
      send: ({ client }, { operands: [name = ""] }) => client.snapshots.load(name),
      lines: ({ name, now, missing }) => [`${name} is loaded; it is ${now}`, ...missingLines(missing)],
    }),
    list: clientCommand({
      summary: "list the snapshots of all worlds",
      where: TARGET_FLAGS,
      send: ({ client }) => client.snapshots.list(),
      lines: (all) => all.map(({ name, of, now, turn }) => `${name.padEnd(20)}${of} at ${now}, turn ${turn}`),
    }),
    rm: clientCommand({
      summary: "remove a snapshot",
      operands: ["<name>"],
      where: TARGET_FLAGS,
      send: ({ client }, { operands: [name = ""] }) => client.snapshots.remove(name),
      lines: ({ removed }) => [`${removed} is removed`],
    }),
    export: clientCommand({
      summary: "write a snapshot to a file",
      operands: ["<name>", "<file>"],
      flags: { force: { help: "replace an existing file" } },
      where: TARGET_FLAGS,
      send: (world, invocation, work) => exportTo(world, work, invocation),
      lines: ({ file, bytes, left_out }) => [
        `${file} is written (${bytes} bytes)`,
        ...(left_out
          ? [
              `secrets were left out (${left_out}); supply them with \`emulator snapshot import --secrets <file>\``,
            ]
          : []),
      ],
    }),
    import: clientCommand({
      summary: "import a file of `snapshot export` as a snapshot (default name: that in the file)",
      operands: ["<file>", "[name]"],
      flags: {
        ...FORCE,
        secrets: {
          value: "<file>",
          help: "JSON file with the secrets, which snapshot files omit (format: docs/understand/worlds.md)",
        },
      },
      where: TARGET_FLAGS,
      unit: "MB",
      send: (world, invocation, work) => importFrom(world, work, invocation),
      lines: (snapshot: SnapshotView) => [
        `${snapshot.name} is imported (${snapshot.of} at ${snapshot.now}); \`emulator snapshot load ${snapshot.name}\` loads it into the world`,
        ...missingLines(snapshot.missing),
      ],
    }),
  },
};

const MEGABYTE = 1_000_000;

interface Written {
  readonly file: string;
  readonly bytes: number;
  /** Null when nothing was left out. */
  readonly left_out: string | null;
}

/** `snapshot export`: downloads a snapshot to a local file. */
async function exportTo({ url }: RunningWorld, work: Work, invocation: Invocation): Promise<Written> {
  const [name = "", file = ""] = invocation.operands;
  const path = resolve(invocation.cwd, file);
  const options = { force: invocation.flags.force === true };
  const { bytes, leftOut } = await withExplanation(url, () =>
    exportSnapshot(transportOf(url, work, `writing ${file}`), name, path, options),
  );
  return { file: path, bytes, left_out: /[1-9]/.test(leftOut) ? leftOut : null };
}

/** `snapshot import`: uploads a local file as a snapshot. */
async function importFrom({ url }: RunningWorld, work: Work, invocation: Invocation): Promise<SnapshotView> {
  const { flags, cwd, operands } = invocation;
  const [file = "", name] = operands;
  const options = {
    ...(name !== undefined && { name }),
    replace: flags.force === true,
    ...(typeof flags.secrets === "string" && { secrets: resolve(cwd, flags.secrets) }),
  };
  const path = resolve(cwd, file);
  const total = (statSync(path, { throwIfNoEntry: false })?.size ?? 0) / MEGABYTE;
  return withExplanation(url, () =>
    importSnapshot<SnapshotView>(transportOf(url, work, `sending ${file}`, total), path, options),
  );
}

/** Shows how much was moved, of a total in megabytes, and ends with the command. */
function transportOf(
  url: string,
  { progress, onStop }: Work,
  text: string,
  total?: number,
): SnapshotTransport {
  const abort = new AbortController();
  onStop(() => abort.abort());
  let movedBytes = 0;
  const onBytes = (bytes: number) => {
    movedBytes += bytes;
    const moved = movedBytes / MEGABYTE;
    if (total === undefined) progress.show(`${text}, ${moved.toFixed(1)} MB`);
    else progress.show(text, Math.ceil(Math.min(moved, total)), Math.ceil(total));
  };
  return transportTo(url, { signal: abort.signal, onBytes });
}

/** Turns errors of local files into `UsageError` and broken connections into `CommandFailure`. */
async function withExplanation<T>(url: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const { name, message, code } = error as NodeJS.ErrnoException;
    if (name === "ArchiveFileError") throw new UsageError(message);
    if (name === "ErrorReply") throw error;
    if (code === undefined) throw new CommandFailure(message);
    const why = message || code;
    throw new CommandFailure(
      `${url}: the connection failed or was interrupted (${why}); nothing was written or imported`,
    );
  }
}
