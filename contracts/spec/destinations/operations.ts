import { listOf, uuid } from "../fields.ts";
import { NEWER_FEATURES, type Operation } from "../operation.ts";
import {
  destination,
  destinationCreate,
  destinationPatch,
  newerDestinationCreate,
  newerDestinationPatch,
} from "../resources.ts";

const destinationPath = {
  destination_id: uuid({ description: "Identifier from the reply that created the destination." }),
};

const destinationCall = {
  section: "2.4",
  requirements: ["X-1"],
  server: "platform",
  workspace: "required",
  shown: false,
} as const;

/** §4.2, and look-ups that the specification does not show. */
export const DESTINATION_OPERATIONS = {
  createBulkExportDestination: {
    ...destinationCall,
    section: "4.2",
    requirements: ["4.2-1", "2.4-1", "2.4-2", "2.4-5", "7.2-1"],
    summary: "Create a destination after a test write to its bucket.",
    method: "POST",
    path: "/api/v1/bulk-exports/destinations",
    body: destinationCreate,
    variant: { ...NEWER_FEATURES, body: newerDestinationCreate },
    reply: { status: 200, statusFrom: "platform.success_status", body: destination },
    refusals: [400, 401, 403, 413, 415, 422, 429],
    shown: true,
  },
  listDestinations: {
    ...destinationCall,
    summary: "List the destinations of the workspace.",
    method: "GET",
    path: "/api/v1/bulk-exports/destinations",
    reply: { status: 200, body: listOf(destination) },
    refusals: [401, 403, 422, 429],
  },
  getDestination: {
    ...destinationCall,
    summary: "Read a destination without its secrets.",
    method: "GET",
    path: "/api/v1/bulk-exports/destinations/{destination_id}",
    pathParameters: destinationPath,
    reply: { status: 200, body: destination },
    refusals: [401, 403, 404, 422, 429],
  },
  rotateDestinationCredentials: {
    ...destinationCall,
    requirements: ["X-1", "2.4-5"],
    summary: "Replace the credentials of a destination after the same test write as at its creation.",
    method: "PATCH",
    path: "/api/v1/bulk-exports/destinations/{destination_id}",
    pathParameters: destinationPath,
    body: destinationPatch,
    variant: { ...NEWER_FEATURES, body: newerDestinationPatch },
    reply: { status: 200, body: destination },
    refusals: [400, 401, 403, 404, 413, 415, 422, 429],
  },
  deleteDestination: {
    ...destinationCall,
    section: "7.3",
    requirements: ["X-1", "7.3-5"],
    summary: "Delete a destination; exports that are writing to it fail.",
    method: "DELETE",
    path: "/api/v1/bulk-exports/destinations/{destination_id}",
    pathParameters: destinationPath,
    reply: { status: 200, body: destination },
    refusals: [401, 403, 404, 409, 422, 429],
  },
} as const satisfies Record<string, Operation>;
