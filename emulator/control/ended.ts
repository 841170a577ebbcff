import type { World } from "../subjects/turn.ts";

/** Exports or agent runs that ended with the same status. */
export interface EndedGroup {
  readonly kind: "export" | "run";
  readonly status: string;
  readonly count: number;
  /** The ids of the first ones. */
  readonly refs: readonly string[];
}

const MAX_REFS = 10;
const KINDS: Readonly<Record<string, EndedGroup["kind"]>> = {
  "export.moved": "export",
  "agent_run.moved": "run",
};
const OPEN_STATUSES = new Set(["CREATED", "RUNNING", "pending", "running"]);

/** Counts the exports and agent runs that end until `stop` is called, by status. */
export function countEnds(world: World): { readonly groups: () => readonly EndedGroup[]; stop(): void } {
  const groups = new Map<string, EndedGroup>();
  const stop = world.journal.watch(({ notes = [] }) => {
    for (const { kind: note, ref, detail = {} } of notes) {
      const [kind, status] = [KINDS[note], String(detail.to)];
      if (!kind || OPEN_STATUSES.has(status)) continue;
      const { count, refs } = groups.get(`${kind} ${status}`) ?? { count: 0, refs: [] };
      groups.set(`${kind} ${status}`, {
        ...{ kind, status, count: count + 1 },
        refs: refs.length < MAX_REFS ? [...refs, ref] : refs,
      });
    }
  });
  return { groups: () => [...groups.values()], stop };
}
