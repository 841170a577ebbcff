import { isDeleted } from "../projects/projects.ts";
import type { Turn } from "../turn.ts";
import type { Workspace } from "../workspace.ts";
import type { TraceScope } from "./port.ts";
import type { StoredRow } from "./roll-up.ts";

/** The rows of a workspace with the uncommitted changes of one request. */
export interface DraftRows {
  readonly scope: TraceScope;
  /** A visible row; undefined when its project was deleted, since its id is free again. */
  row(id: string): StoredRow | undefined;
  /** Whether the store has a row with this id; rows of deleted projects count. */
  isStored(id: string): boolean;
  set(row: StoredRow): void;
  write(): void;
}

/** Reads each row of the store at most once; `write` stores all changed rows in one call. */
export function createDraftRows(turn: Turn, workspace: Workspace): DraftRows {
  const { traces } = turn.ports;
  const scope = { region: workspace.region, tenantId: workspace.tenant_id };
  const rows = new Map<string, StoredRow>();
  const storedRows = new Map<string, StoredRow>();

  function storedRow(id: string): StoredRow | undefined {
    const cachedRow = storedRows.get(id);
    const existingRow = cachedRow ?? traces.read(scope, id);
    if (existingRow && !cachedRow) storedRows.set(id, existingRow);
    return existingRow;
  }

  return {
    scope,
    row(id) {
      const existingRow = rows.get(id) ?? storedRow(id);
      return existingRow && isDeleted(turn, workspace, existingRow.session_id) ? undefined : existingRow;
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
