import type { AssumptionRow } from "../assumption.ts";

/** Requests for exports, and their lives. */
export const EXPORT_ASSUMPTIONS = {
  "export.status_casing": {
    requirement: "3.1-1",
    choice: "upper",
    alternatives: ["title"],
    ruledOut: ["title"],
    reason: "The table of statuses uses capitals. The public service was observed to use title case.",
    observed: "title",
  },
  "export.time_zone": {
    requirement: "2.5-1",
    choice: "any offset, converted to UTC; a time without an offset is refused",
    reason:
      "UTC is required. A time with another offset is the same instant. A time without an offset is ambiguous.",
  },
  "export.reversed_window": {
    requirement: "2.5-2",
    choice: 422,
    reason: "A window must end after its start.",
  },
  "export.window_days": {
    section: "2.5",
    requirement: "2.6-1",
    choice: 36_600,
    reason: "A limit, refused with 422: more than a hundred years is most likely a wrong date.",
  },
  "export.fields_list": {
    requirement: "2.5-5",
    choice: "order kept; an empty list or a repeated name refused with 422",
    reason: "A subset is expected. An empty list or a repeated name is most likely a mistake.",
  },
  "export.unknown_project": {
    requirement: "2.5-1",
    choice: 404,
    alternatives: [422],
    reason: "A project that is unknown in the workspace is most likely a mistyped id.",
  },
  "export.experiments": {
    requirement: "2.5-1",
    choice:
      "all_experiments exports the projects that have a reference_dataset_id when the export starts, in a run for each project and day",
    reason:
      "It is newer than the specification. Public clients create the project of an experiment with this member. The files of a project have a folder of their own.",
  },
  "export.feedbacks": {
    requirement: "2.5-5",
    choice:
      "the column feedbacks has the feedback of a row when its file is written, as a JSON list; [] for none",
    reason: "It is newer than the specification. Its form is not published.",
  },
  "export.creation_limits": {
    section: "8.2",
    requirement: "2.5-7",
    choice: "429; spawned exports count, but are never refused",
    reason: "Newer than the specification. Without a spawned export its schedule would have a gap.",
  },
  "export.list_order": {
    requirement: "4.6-1",
    choice: "newest first",
    alternatives: ["oldest first"],
    reason: "The order is not shown. Runs of an export are in the order of their windows.",
  },
  "export.list_paging": {
    requirement: "4.6-1",
    choice: "the whole list unless limit (1 to 1000) and offset are given",
    reason: "The specification returns all export jobs. Public clients request pages nevertheless.",
  },
  "export.start": {
    requirement: "3.1-8",
    choice: "after timings.one_off_start_delay, a spawned export at once, as capacity allows",
    reason: "The move from CREATED to RUNNING is not shown. A short delay lets a caller see CREATED.",
    setting: "timings.one_off_start_delay",
  },
  "export.file_duration": {
    section: "8.2",
    requirement: "3.1-8",
    choice: "PT1S",
    reason: "The duration of an export is not shown. A second per file makes progress visible.",
    setting: "timings.file_duration",
  },
  "export.cancel_words": {
    section: "4.7",
    requirement: "3.1-8",
    choice: "only Cancelled; any other body 422",
    reason: "One body is shown.",
  },
  "export.cancel_final": {
    requirement: "3.1-8",
    choice: 409,
    alternatives: [200, 422],
    reason: "A final status does not change. An error is clearer than a success without effect.",
  },
  "export.siblings": {
    requirement: "3.1-9",
    choice: "unfinished runs get the export's status; files already written stay",
    reason: "The status of the other runs of an ended export is not shown.",
  },
  "export.run_moves": {
    requirement: "3.1-8",
    choice: "a run stays RUNNING between its attempts",
    reason: "Single-run transitions are not shown beyond the retries.",
  },
  "export.workflow_timeout": {
    requirement: "8.2-5",
    choice: "PT72H",
    alternatives: ["PT48H"],
    ruledOut: ["PT48H"],
    reason: "The limits section says 72 hours, the status table 48.",
    setting: "limits.workflow_timeout",
  },
  "export.workflow_timeout_start": {
    requirement: "8.2-5",
    choice: "RUNNING",
    reason: "Time in the queue should not count against the export.",
  },
  "export.max_concurrent_runs": {
    requirement: "8.2-5",
    choice: 45,
    alternatives: [5],
    ruledOut: [5],
    reason: "The limits section says 45, the troubleshooting advice 5.",
    setting: "limits.max_concurrent_runs_per_export",
  },
  "export.max_concurrent_exports": {
    requirement: "8.2-5",
    choice: 15,
    alternatives: [3],
    ruledOut: [3],
    reason: "The limits section says 15, the troubleshooting advice 3.",
    setting: "limits.max_concurrent_exports_per_workspace",
  },
  "export.max_retries": {
    requirement: "8.3-2",
    choice: 20,
    reason: "Stated as subject to change.",
    setting: "limits.max_retries",
  },
  "export.retry_numbering": {
    section: "2.6",
    requirement: "7.3-7",
    choice: "retry_0 is the first attempt",
    reason: "The examples start at retry_0, and a first attempt can also fail.",
  },
  "export.interruption_counts": {
    requirement: "7.3-7",
    choice: "recorded, and uses up a retry",
    reason: "The run is requeued with its remaining retries, so their number decreases.",
  },
  "export.store_outage": {
    requirement: "7.3-4",
    choice: "infrastructure interruption",
    alternatives: ["storage error"],
    reason:
      "A 5xx, SlowDown, RequestTimeout or a broken connection is temporary, unlike an error of the destination.",
  },
  "export.errors_when_none": {
    requirement: "2.6-2",
    choice: "{}",
    alternatives: ["null"],
    reason:
      "An object keyed by attempts is empty if no attempt failed. The public service was observed to return null.",
    observed: "null",
  },
  "export.deleted_destination": {
    requirement: "7.3-5",
    choice: "the export is FAILED at its next file, or at its start if it has not started",
    reason: "The specification excludes retries, but does not show when the export fails.",
  },
  "export.schedule_status": {
    requirement: "3.3-7",
    choice: "CREATED until its first spawn, then RUNNING",
    reason: "No separate status is shown for a schedule. It ends only when it is cancelled.",
  },
  "export.schedule_capacity": {
    section: "8.2",
    requirement: "3.3-7",
    choice: "a schedule does not count as a concurrent export and has no workflow timeout",
    reason: "Otherwise fifteen schedules would block a workspace, and each would end within days.",
  },
  "export.schedule_without_destination": {
    requirement: "3.3-7",
    choice: "it continues: each spawned export is FAILED at its start, until the schedule is cancelled",
    reason: "A schedule ends only when it is cancelled. The journal and the status of the emulator name it.",
  },
  "export.schedule_catch_up": {
    requirement: "3.3-6",
    choice: "every window that is already due is spawned immediately, in order",
    reason: "Windows are contiguous from start_time on. Skipping one would leave a gap.",
  },
  "export.schedule_catch_up_max": {
    requirement: "3.3-6",
    choice: 10_000,
    reason: "A limit: a start_time with more due windows is refused with 422.",
  },
  "export.read_as_of": {
    requirement: "3.3-5",
    choice: "the start of each run",
    reason: "Rows that arrive while a run works must not shift its cursor.",
  },
} as const satisfies Record<string, AssumptionRow>;
