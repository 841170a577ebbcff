import type { BodyOf } from "../../../contracts/spec/operations.ts";
import type { RequirementId } from "../../../contracts/spec/requirements.ts";
import { invalidRequest, Refusal } from "../../kernel/refusal.ts";
import { DESTINATIONS } from "../destinations/records.ts";
import { projectById } from "../projects/projects.ts";
import type { Settings } from "../settings.ts";
import { parseTime } from "../traces/wire-time.ts";
import type { Turn } from "../turn.ts";
import { requireFeature } from "../versions.ts";
import { sameWorkspace, type Workspace } from "../workspace.ts";
import { refuseTooMany } from "./creation-limits.ts";
import type { Compression, FormatVersion } from "./encoder.ts";
import { scheduleStart } from "./export.ts";
import { addHours, countDays } from "./partitions.ts";
import { type BulkExport, EXPORTS } from "./records.ts";
import { pastWindows, scheduleSpawn } from "./schedule.ts";
import { checkFilter, sessionsOf } from "./selection.ts";

type ExportInput = BodyOf<"createBulkExport">;

/** §4.3: stores the export and schedules its start, or the first spawn of a schedule. */
export function createExport(turn: Turn, workspace: Workspace, input: ExportInput): BulkExport {
  const { settings } = turn.ports;
  const sessionId = sessionOf(input);
  const projects = sessionsOf(turn, { ...workspace, session_id: sessionId }).length;
  const window = windowOf(turn, input, projects);
  checkFeatures(settings, input);
  const destinationId = input.bulk_export_destination_id.toLowerCase();
  const destination = turn.get(DESTINATIONS, destinationId);
  if (!destination || !sameWorkspace(destination, workspace))
    throw new Refusal(
      404,
      "not_found",
      `body.bulk_export_destination_id: destination ${destinationId} does not exist in this workspace.`,
      "GET /api/v1/bulk-exports/destinations lists the ids; POST creates a destination.",
    );
  if (sessionId !== null && !projectById(turn, workspace, sessionId))
    throw new Refusal(
      404,
      "unknown_project",
      `body.session_id: project ${sessionId} does not exist in this workspace.`,
      "GET /sessions lists the ids of the projects. The first trace row of a project creates it, and so does POST /sessions.",
    );
  refuseTooMany(turn, workspace, input.interval_hours != null);
  const record: BulkExport = {
    ...workspace,
    id: turn.nextId("bulk_export"),
    bulk_export_destination_id: destinationId,
    bucket_name: destination.config.bucket_name,
    session_id: sessionId,
    ...window,
    filter: input.filter ?? null,
    export_fields: input.export_fields ?? null,
    interval_hours: input.interval_hours ?? null,
    format_version:
      input.format_version ?? (settings.assumptions["export.default_format_version"] as FormatVersion),
    compression: input.compression ?? (settings.assumptions["export.default_compression"] as Compression),
    status: "CREATED",
    created_at: turn.now,
    updated_at: turn.now,
    finished_at: null,
    source_bulk_export_id: null,
    runsLeft: 0,
  };
  turn.put(EXPORTS, record);
  if (record.interval_hours === null) scheduleStart(turn, record.id, settings.timings.one_off_start_delay_ms);
  else scheduleSpawn(turn, record, record.start_time);
  return record;
}

/** The project; null for every experiment. */
function sessionOf({ session_id, all_experiments }: ExportInput): string | null {
  if ((session_id == null) !== (all_experiments === true))
    throw invalid(
      session_id == null
        ? "body.session_id: is required unless all_experiments is true. Set one of the two."
        : "body.all_experiments: must be omitted for the export of one project (session_id is set). Remove one of the two.",
      "2.5-1",
    );
  return session_id?.toLowerCase() ?? null;
}

/** §2.5-2: a one-off export has an end, a scheduled one an interval instead. */
function windowOf(
  turn: Turn,
  input: ExportInput,
  projects: number,
): { readonly start_time: string; readonly end_time: string | null } {
  const start_time = utc(input.start_time);
  const interval = input.interval_hours ?? null;
  if (interval !== null) {
    if (input.end_time != null)
      throw invalid(
        "body.end_time: must be omitted for a scheduled export (interval_hours is set). Remove end_time or interval_hours.",
      );
    if (addHours(start_time, interval) === undefined)
      throw invalid(
        "body.start_time: the first window would end after the year 9999. Choose an earlier start_time.",
        "3.3-1",
      );
    const past = pastWindows(start_time, interval, turn.now);
    const maximum = turn.ports.settings.limits.past_windows_per_schedule;
    if (past > maximum)
      throw invalid(
        `body.start_time: ${past} windows have already ended; at most ${maximum} may (limits.past_windows_per_schedule). Choose a later start_time.`,
        "3.3-6",
      );
    return { start_time, end_time: null };
  }
  if (input.end_time == null)
    throw invalid(
      "body.end_time: is required for a one-off export. Set end_time, or interval_hours for a scheduled export.",
    );
  const end_time = utc(input.end_time);
  if (end_time <= start_time)
    throw invalid(`body.end_time: ${input.end_time} must be later than start_time.`);
  const days = countDays(start_time, end_time) * projects;
  const { export_days } = turn.ports.settings.limits;
  if (days > export_days)
    throw invalid(
      `body.end_time: the window has ${days} days${projects > 1 ? ` of ${projects} projects` : ""}; at most ${export_days} are accepted (limits.export_days). Split it into several exports.`,
    );
  return { start_time, end_time };
}

function checkFeatures(settings: Settings, input: ExportInput): void {
  const { versions } = settings;
  if (input.interval_hours != null) requireFeature(versions, "scheduled_exports");
  if (input.export_fields != null) requireFeature(versions, "export_fields");
  if (input.filter != null) checkFilter(settings, input.filter);
}

function utc(time: string): string {
  return parseTime(time) as string;
}

function invalid(message: string, requirement: RequirementId = "2.5-2"): Refusal {
  return invalidRequest(message, undefined, requirement);
}
