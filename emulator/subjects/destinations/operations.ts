import { Refusal } from "../../kernel/refusal.ts";
import { isFinal } from "../bulk-exports/lifecycle.ts";
import { EXPORTS } from "../bulk-exports/records.ts";
import type { Handlers } from "../handler.ts";
import type { Turn } from "../turn.ts";
import { sameWorkspace, type Workspace, workspaceKey } from "../workspace.ts";
import { changeAccess, createDestination } from "./create.ts";
import { DESTINATIONS, type Destination } from "./records.ts";
import { destinationView } from "./view.ts";

/** Handlers that create, list, rotate and delete destinations (§4.2); replies contain no credentials. */
export const DESTINATION_HANDLERS = {
  createBulkExportDestination: (turn, { workspace, body }) => createDestination(turn, workspace, body),

  listDestinations: (turn, { workspace }) =>
    [...turn.list(DESTINATIONS, workspaceKey(workspace))].map((record) =>
      destinationView(turn.ports.settings, record),
    ),

  getDestination: (turn, { path, workspace }) =>
    destinationView(turn.ports.settings, destinationOf(turn, workspace, path.destination_id)),

  rotateDestinationCredentials: (turn, { path, workspace, body }) =>
    changeAccess(turn, destinationOf(turn, workspace, path.destination_id), body),

  deleteDestination(turn, { path, workspace }) {
    const record = destinationOf(turn, workspace, path.destination_id);
    const { assumptions } = turn.ports.settings;
    if (assumptions["destination.delete_in_use"] === "refuse" && isInUse(turn, record))
      throw new Refusal(
        409,
        "in_use",
        `Destination ${record.id} is used by an export that has not ended. Cancel the export first.`,
      );
    turn.remove(DESTINATIONS, record.id);
    return destinationView(turn.ports.settings, record);
  },
} satisfies Partial<Handlers>;

function destinationOf(turn: Turn, workspace: Workspace, id: string): Destination {
  const record = turn.get(DESTINATIONS, id.toLowerCase());
  if (!record || !sameWorkspace(record, workspace))
    throw new Refusal(
      404,
      "not_found",
      `Destination ${id} does not exist in this workspace.`,
      "GET /api/v1/bulk-exports/destinations lists the ids.",
    );
  return record;
}

function isInUse(turn: Turn, { id, ...workspace }: Destination): boolean {
  for (const record of turn.list(EXPORTS, workspaceKey(workspace)))
    if (record.bulk_export_destination_id === id && !isFinal(record)) return true;
  return false;
}
