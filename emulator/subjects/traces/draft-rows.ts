import { isDeleted } from "../projects/projects.ts";
import type { Turn } from "../turn.ts";
import type { Workspace } from "../workspace.ts";
import type { TraceScope } from "./port.ts";
import type { StoredRow } from "./roll-up.ts";

/** Rows as they will stand after a request, and those that it has looked at in the store. */
export interface DraftRows {
  readonly scope: TraceScope;
  /** A row that can be seen; an id whose project was deleted is free again. */
  row(id: string): StoredRow | undefined;
  /** Whether there was a row of this id before, be it in a project that has been deleted. */
  isStored(id: string): boolean;
  set(row: StoredRow): void;
  write(): void;
}

/** Reads each row of the store once; what is set reaches the store with `write`, all of it at once. */
export function createDraftRows(turn: Turn, workspace: Workspace): DraftRows {
  const { traces } = turn.ports;
  const scope = { region: workspace.region, tenantId: workspace.tenant_id };
  const rows = new Map<string, StoredRow>();
  const stored = new Map<string, StoredRow | undefined>();

  function storedRow(id: string): StoredRow | undefined {
    if (!stored.has(id)) stored.set(id, traces.read(scope, id));
    return stored.get(id);
  }

  return {
    scope,
    row(id) {
      const found = rows.get(id) ?? storedRow(id);
      return found && isDeleted(turn, workspace, found.session_id) ? undefined : found;
    },
    isStored: (id) => storedRow(id) !== undefined,
    set(row) {
      rows.set(row.id, row);
    },
    write() {
      if (rows.size > 0) traces.write(scope, [...rows.values()]);
    },
  };
}
