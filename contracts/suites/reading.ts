import { instantOf } from "../engine/instant.ts";
import { isMembers, type Members } from "../engine/json.ts";

/** Finds members whose names the specification does not define by their values, at any depth. */

/** The list in a reply: the body itself, or the first list among its members; empty where there is none. */
export function listIn(body: unknown): readonly Members[] {
  return (rawListIn(body) ?? []).filter(isMembers);
}

export function hasList(body: unknown): boolean {
  return rawListIn(body) !== undefined;
}

function rawListIn(body: unknown): readonly unknown[] | undefined {
  const list = isMembers(body) ? Object.values(body).find(Array.isArray) : body;
  return Array.isArray(list) ? list : undefined;
}

const CREATION = /^(created|creation)|_(created|creation)/i;
const START = /^((window|interval|period|partition)_?)?(start|begin|from)(_?(time|date|at))?$/i;
const END = /^((window|interval|period|partition)_?)?(end|until|to)(_?(time|date|at))?$/i;

const isText = (value: unknown) => typeof value === "string" && value !== "";
const isTime = (value: unknown) => isText(value) && !Number.isNaN(instantOf(value));

/** The export in a reply: `created_at`, `start_time` and `end_time` are read from the members that hold them. */
export function readExport<T extends object>(body: unknown): T {
  const shown = isMembers(body) ? body : {};
  return { ...shown, ...timesIn(shown) } as T;
}

/** The export run in a reply; only `errors` has a shown name (§2.6). */
export function readRun<T extends object>(body: unknown): T {
  const shown = isMembers(body) ? body : {};
  const { errors, ...rest } = shown;
  const nested = Object.fromEntries(Object.entries(rest).filter(([, value]) => isMembers(value)));
  const isCount = (value: unknown) => typeof value === "number";
  const rows = found(rest, /row|record/i, isCount);
  return {
    ...rest,
    ...timesIn(rest),
    id: found(rest, /^(id|(export_)?run_?id)$/i, isText),
    status: found(rest, /^(status|state)$/i, isText),
    rows_exported: rows,
    ...("errors" in shown && { errors: errors ?? {} }),
    metadata: {
      latest_cursor: found(rest, /cursor|position|checkpoint/i, (value) => value !== null) ?? null,
      rows_exported: found(nested, /row|record/i, isCount) ?? rows,
      files: filesIn(found(rest, /file|parquet|object|path/i, Array.isArray)),
    },
  } as T;
}

function timesIn(body: Members): Members {
  return {
    created_at: found(body, CREATION, isTime),
    start_time: found(body, START, isTime),
    end_time: found(body, END, isTime) ?? null,
  };
}

/** Files as `<bucket>/<key>`, however they are written: as texts, addresses, or objects that hold one. */
function filesIn(list: unknown): readonly string[] {
  return (Array.isArray(list) ? list : []).map((file) => {
    const text = isMembers(file) ? found(file, /./, isText) : file;
    return String(text).replace(/^s3:\/\//, "");
  });
}

/** The first member with such a name and such a value: first in the body itself, then in nested values. */
function found(body: Members, name: RegExp, holds: (value: unknown) => boolean): unknown {
  const entries = Object.entries(body);
  const here = entries.find(([member, value]) => name.test(member) && holds(value));
  if (here) return here[1];
  for (const [, inner] of entries) {
    const deeper = isMembers(inner) ? found(inner, name, holds) : undefined;
    if (deeper !== undefined) return deeper;
  }
  return undefined;
}
