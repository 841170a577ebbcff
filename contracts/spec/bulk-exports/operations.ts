import { assumed, type Field, integer, listOf, optional, uuid } from "../fields.ts";
import { NEWER_FEATURES, type Operation } from "../operation.ts";
import {
  bulkExport,
  bulkExportCreate,
  bulkExportPatch,
  bulkExportRun,
  newerBulkExportCreate,
  stoppedExport,
} from "../resources.ts";

const ours = <T>(field: Field<T>) => optional(assumed(field, "export.list_paging"));

/** Paging of the bulk-export lists: not shown, and without it the whole list is answered. */
const paging = {
  limit: ours(
    integer({ minimum: 1, maximum: 1000, description: "Maximum number of entries; all when left out." }),
  ),
  offset: ours(integer({ minimum: 0, default: 0, description: "Number of entries to skip." })),
};

const exportPath = {
  export_id: uuid({ description: "Identifier from the reply that created the export." }),
};

const exportRunPath = {
  ...exportPath,
  run_id: uuid({ description: "Identifier of the export run." }),
};

const exportCall = { server: "platform", workspace: "required", shown: true } as const;

/** §4.3 to §4.7, and look-ups that the specification does not show. */
export const BULK_EXPORT_OPERATIONS = {
  createBulkExport: {
    ...exportCall,
    section: "4.3",
    requirements: ["4.3-1", "2.5-1", "2.5-2", "2.5-3", "2.5-4", "2.5-5", "2.5-6", "2.5-7"],
    summary: "Create a one-off export, or a scheduled one if interval_hours is set.",
    method: "POST",
    path: "/api/v1/bulk-exports",
    body: bulkExportCreate,
    variant: { ...NEWER_FEATURES, body: newerBulkExportCreate },
    reply: { status: 200, statusFrom: "platform.success_status", body: bulkExport },
    refusals: [401, 403, 404, 413, 415, 422, 429],
  },
  listBulkExports: {
    ...exportCall,
    section: "4.6",
    requirements: ["4.6-1"],
    summary: "List every export of the workspace with its status and creation time.",
    method: "GET",
    path: "/api/v1/bulk-exports",
    query: paging,
    reply: { status: 200, body: listOf(bulkExport) },
    refusals: [401, 403, 422, 429],
  },
  listSpawnedRuns: {
    ...exportCall,
    section: "3.3",
    requirements: ["X-1", "2.5-7"],
    summary: "List the runs of every export that a scheduled export has spawned.",
    method: "GET",
    path: "/api/v1/bulk-exports/runs",
    query: {
      source_bulk_export_id: uuid({ description: "The scheduled export." }),
      ...paging,
    },
    reply: { status: 200, body: listOf(bulkExportRun) },
    refusals: [401, 403, 404, 422, 429],
    shown: false,
  },
  getBulkExport: {
    ...exportCall,
    section: "4.4",
    requirements: ["4.4-1"],
    summary: "Read an export with its current status.",
    method: "GET",
    path: "/api/v1/bulk-exports/{export_id}",
    pathParameters: exportPath,
    reply: { status: 200, body: bulkExport },
    refusals: [401, 403, 404, 422, 429],
  },
  stopBulkExport: {
    ...exportCall,
    section: "4.7",
    requirements: ["4.7-1", "3.1-2", "3.1-3", "3.1-4"],
    summary: "Cancel an export that has not ended.",
    method: "PATCH",
    path: "/api/v1/bulk-exports/{export_id}",
    pathParameters: exportPath,
    body: bulkExportPatch,
    reply: { status: 200, body: stoppedExport },
    refusals: [401, 403, 404, 409, 413, 415, 422, 429],
  },
  listBulkExportRuns: {
    ...exportCall,
    section: "4.5",
    requirements: ["4.5-1", "2.6-1", "2.6-2"],
    summary: "List the runs of an export, one for each day that its window touches.",
    method: "GET",
    path: "/api/v1/bulk-exports/{export_id}/runs",
    pathParameters: exportPath,
    query: paging,
    reply: { status: 200, body: listOf(bulkExportRun) },
    refusals: [401, 403, 404, 422, 429],
  },
  getBulkExportRun: {
    ...exportCall,
    section: "2.6",
    requirements: ["X-1", "2.6-2"],
    summary: "Read a run of an export.",
    method: "GET",
    path: "/api/v1/bulk-exports/{export_id}/runs/{run_id}",
    pathParameters: exportRunPath,
    reply: { status: 200, body: bulkExportRun },
    refusals: [401, 403, 404, 422, 429],
    shown: false,
  },
} as const satisfies Record<string, Operation>;
