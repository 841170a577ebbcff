/** Codes of errors that depend on the state of a command, a world or a file, with their meaning and the next step. */
export const STATE_ERRORS: Readonly<Record<string, readonly [meaning: string, nextStep: string]>> = {
  wrong_use: [
    "A command was called with a wrong flag, operand or file. Exit code 2.",
    "Correct what the message names; `emulator help <command>` lists flags and examples.",
  ],
  old_node: [
    "Node is older than the package needs. Exit code 2.",
    "Install the version that the message names.",
  ],
  cannot_start: [
    "The emulator cannot start: a port is taken, a setting is invalid, or the data folder cannot be used. Exit code 2.",
    "Follow the message, or run `emulator doctor`.",
  ],
  unreachable: [
    "No server answers at the address. Exit code 2.",
    "Start one with `emulator start`, or give its address with --url.",
  ],
  failed: [
    "The check or the operation failed. Exit code 1.",
    "Read the message; `emulator logs` lists the last turns.",
  ],
  interrupted: [
    "A signal stopped the command, the client left, or the rows were removed while the statistics were computed.",
    "Run it again.",
  ],
  defect: [
    "The emulator has a defect. Exit code 5.",
    "Report it with the message. The data on disk is safe.",
  ],
  advance_interrupted: [
    "The clock was frozen, the advance was stopped, or the emulator is stopping.",
    "Advance to the original target: `emulator clock until <time>`, or `to` in the request.",
  ],
  advance_under_way: [
    "Another advance of this world is in progress.",
    "Wait for it, or stop it with DELETE /_emulator/v1/clock/advance.",
  ],
  already_ended: ["The agent run has ended.", "Create a new run."],
  already_final: ["The export has ended, so it cannot be cancelled.", "Create a new export."],
  backwards: [
    "The time is before the time of the world, and time only moves forward.",
    "Give a later time, or start over with `emulator reset`.",
  ],
  before_history: [
    "The turn or time is older than the history of the world.",
    "Give a later one, or raise limits.history_turns and limits.history_bytes.",
  ],
  bucket_exists: ["A bucket of this name exists.", "Use it, or choose another name."],
  busy: [
    "Too many snapshot files are read or written at the same time.",
    "Try again later, or raise limits.snapshot_transfers.",
  ],
  choices_not_noted: [
    "The emulator does not record the assumptions that requests depend on.",
    "Start it with EMULATOR_SERVER__NOTE_CHOICES=true.",
  ],
  closing: ["The emulator is stopping.", "Start it again."],
  conflict: [
    "A record of this name or id exists.",
    "Use it (`upsert=true` for projects), or choose another name.",
  ],
  console_read_only: [
    "The console may only read, since the emulator can be reached from other machines.",
    "Open the address with the token that `emulator start` has printed.",
  ],
  credential_exists: ["A key pair with this id exists.", "Choose another id, or change the existing key."],
  cross_site: [
    "A page of another origin embedded the address.",
    "If the page is yours, let it use fetch(), or start with --cors-origins.",
  ],
  damaged_snapshot: [
    "The file is damaged, or it is not a snapshot file. Nothing was imported.",
    "Use another copy, or export the snapshot again.",
  ],
  data_damaged: [
    "A file of the data folder is damaged.",
    "Load a snapshot, reset the world or remove it, as the message says.",
  ],
  data_folder_lost: [
    "The data folder was removed or replaced while the emulator was running.",
    "Stop the emulator, and start it with a folder that stays.",
  ],
  data_is_there: [
    "--import would replace a world that the data folder has.",
    "Remove --import, choose another --data folder, or use --ephemeral.",
  ],
  disk_full: [
    "The disk is full. Requests that add data are refused; existing data is safe.",
    "Free disk space, then repeat the request.",
  ],
  forbidden: [
    "The key may not use this workspace.",
    "Use another key, or add the workspace to the key in auth.keys.",
  ],
  foreign_folder: [
    "The folder has files that are not data of an emulator.",
    "Name an empty or a new folder with --data.",
  ],
  foreign_host: [
    "The request has a Host that is not one of the emulator.",
    "Start with --allowed-hosts and this name.",
  ],
  foreign_origin: [
    "A page of another origin sent the request.",
    "If the page is yours, start with --cors-origins and its origin.",
  ],
  has_no_history: ["The operation is not about one world, so it has no history.", "Send it without as_of."],
  held_patches_full: [
    "The workspace has too many patches of rows that were never posted.",
    "Post the rows first.",
  ],
  history_is_read_only: [
    "Past states cannot be changed.",
    "Fork the state: `emulator world create <id> --from main --at <turn>`.",
  ],
  in_flight: [
    "An effect, such as a webhook delivery, is in flight.",
    "Try again; `emulator clock show` lists what is in flight.",
  ],
  in_use: ["An export that has not ended uses the destination.", "Cancel the export first."],
  main_stays: ["The world main cannot be removed.", "Reset it with `emulator reset`."],
  method_not_allowed: ["The path does not accept this method.", "Use a method of the Allow header."],
  newer_snapshot: ["A newer version wrote the file.", "Use the version that the message names."],
  no_parquet: ["The object is not a readable Parquet file.", "`emulator s3 ls traces` lists the objects."],
  no_world: [
    "The file is a capsule without a snapshot.",
    "Repeat its requests with `emulator replay <file>`.",
  ],
  older_snapshot: [
    "An older version wrote the file.",
    "Use the version that the message names, or write the file again.",
  ],
  other_generation: [
    "The turn is not in the history of this world, which was reset, loaded or rewound.",
    "Read the generation from GET /_emulator/v1/status again, or leave it out.",
  ],
  payload_gone: [
    "The payload of the delivery was too long to be retained.",
    "Raise limits.webhook_payload_bytes before it is sent.",
  ],
  pending: ["The delivery is under way.", "Advance the clock, or wait."],
  rate_limited: [
    "A rate limit refuses the request (\u00a78.5).",
    "Wait for Retry-After; `emulator limits explain <method> <path>` names the row.",
  ],
  removed: ["The operation was removed at legacy_end.", "Use the operation that the message names."],
  reset: ["The world was reset, loaded or rewound while the request was running.", "Send the request again."],
  schedule_has_no_end: [
    "The export is a schedule, which never completes (\u00a73.3).",
    "Wait for an export that it created: `emulator export list`.",
  ],
  simple_write: [
    "A page of another origin sent a form or a request without preflight.",
    "If the page is yours, send Content-Type: application/json.",
  ],
  snapshot_too_large: [
    "The snapshot is too large.",
    "Raise limits.snapshot_bytes, or delete data from the world.",
  ],
  system_assistant: ["System assistants cannot be changed.", "Create an assistant of the same graph."],
  taken: [
    "A snapshot or world of this name exists.",
    "Choose another name. `--force` replaces a snapshot; `emulator world rm` removes a world.",
  ],
  thread_busy: [
    "The thread has runs that have not ended.",
    "Advance the clock, cancel them, or send multitask_strategy.",
  ],
  thread_full: [
    "Too many runs wait on the thread.",
    "Advance the clock, or raise limits.agent_pending_runs.",
  ],
  unauthorized: [
    "X-API-Key is missing or unknown.",
    "Send X-API-Key: emulator-key; with --auth keys one of auth.keys.",
  ],
  webhooks_disabled: ["Webhooks are switched off.", "Unset http.disable_webhooks."],
  world_removed: ["The world was removed while the request was running.", "Use another world."],
};
