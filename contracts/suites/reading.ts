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
  const members = isMembers(body) ? body : {};
  return { ...members, ...timesIn(members) } as T;
}

/** The export run in a reply; only `errors` has a shown name (§2.6). */
export function readRun<T extends object>(body: unknown): T {
  const members = isMembers(body) ? body : {};
  const { errors, ...rest } = members;
  const nested = Object.fromEntries(Object.entries(rest).filter(([, value]) => isMembers(value)));
  const isCount = (value: unknown) => typeof value === "number";
  const rows = findMember(rest, /row|record/i, isCount);
  return {
    ...rest,
    ...timesIn(rest),
    id: findMember(rest, /^(id|(export_)?run_?id)$/i, isText),
    status: findMember(rest, /^(status|state)$/i, isText),
    rows_exported: rows,
    ...("errors" in members && { errors: errors ?? {} }),
    metadata: {
      latest_cursor: findMember(rest, /cursor|position|checkpoint/i, (value) => value !== null) ?? null,
      rows_exported: findMember(nested, /row|record/i, isCount) ?? rows,
      files: filesIn(findMember(rest, /file|parquet|object|path/i, Array.isArray)),
    },
  } as T;
}

function timesIn(body: Members): Members {
  return {
    created_at: findMember(body, CREATION, isTime),
    start_time: findMember(body, START, isTime),
    end_time: findMember(body, END, isTime) ?? null,
  };
}

/** Files as `<bucket>/<key>`, however they are written: as texts, addresses, or objects that hold one. */
function filesIn(list: unknown): readonly string[] {
  return (Array.isArray(list) ? list : []).map((file) => {
    const text = isMembers(file) ? findMember(file, /./, isText) : file;
    return String(text).replace(/^s3:\/\//, "");
  });
}

/** The first member with such a name and such a value: first in the body itself, then in nested values. */
function findMember(body: Members, name: RegExp, holds: (value: unknown) => boolean): unknown {
  const entries = Object.entries(body);
  const direct = entries.find(([member, value]) => name.test(member) && holds(value));
  if (direct) return direct[1];
  for (const [, inner] of entries) {
    const deeper = isMembers(inner) ? findMember(inner, name, holds) : undefined;
    if (deeper !== undefined) return deeper;
  }
  return undefined;
}
