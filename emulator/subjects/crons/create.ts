import { CRON_WORDS } from "../../../contracts/spec/crons/resources.ts";
import type { BodyOf } from "../../../contracts/spec/operations.ts";
import { parseInstant, timeProblem } from "../../kernel/instant.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { resolveAssistant } from "../agent/assistants.ts";
import { requireEventCapacity, requireMetadataSize } from "../agent/capacity.ts";
import { refuseBadBody } from "../agent/run-checks.ts";
import { requireThread } from "../agent/threads.ts";
import type { Turn } from "../turn.ts";
import { type Workspace, workspaceKey } from "../workspace.ts";
import { needsEvent, planNextRun, storeAndSchedule } from "./plan.ts";
import { CRONS, type Cron } from "./records.ts";

type CronBody = BodyOf<"createCron">;
type CronChange = BodyOf<"updateCron">;

/** Creates a cron with or without a thread (§4.8). Throws a `Refusal`. */
export function createCron(turn: Turn, workspace: Workspace, threadId: string | null, body: CronBody): Cron {
  const thread = threadId === null ? null : requireThread(turn, workspace, threadId);
  const assistant = resolveAssistant(turn, workspace, body.assistant_id);
  refuseInvalidSchedule(turn, body.schedule, body.timezone ?? null);
  const payload = payloadIn(body);
  const end_time = instantIn(body.end_time);
  refuseBadBody(turn, { threadId, body: payload });
  refuseFullWorkspace(turn, workspace);
  requireMetadataSize(turn, { metadata: body.metadata ?? {} });
  requireEventCapacity(turn);
  const cron: Cron = {
    ...workspace,
    cron_id: turn.nextId("cron"),
    assistant_id: assistant.assistant_id,
    thread_id: thread?.thread_id ?? null,
    schedule: body.schedule,
    timezone: body.timezone ?? null,
    end_time,
    next_run_date: null,
    wakes_at: null,
    enabled: body.enabled ?? true,
    on_run_completed: thread ? null : (body.on_run_completed ?? "delete"),
    metadata: body.metadata ?? {},
    payload,
    created_at: turn.now,
    updated_at: turn.now,
  };
  return storeAndSchedule(turn, planNextRun(turn, cron));
}

/** Updates the members that were sent and replans the next run from now. Throws a `Refusal`. */
export function changeCron(turn: Turn, cron: Cron, change: CronChange): Cron {
  if (Object.keys(change).length === 0)
    throw new Refusal(400, "empty_change", "Request body cannot be empty");
  const changedFields = <T>(value: T | null | undefined, otherwise: T): T => value ?? otherwise;
  const assistant =
    change.assistant_id === undefined ? undefined : resolveAssistant(turn, cron, change.assistant_id);
  const schedule = changedFields(change.schedule, cron.schedule);
  const timezone = change.timezone === undefined ? cron.timezone : change.timezone;
  refuseInvalidSchedule(turn, schedule, timezone);
  const changes = payloadIn(change);
  const { assistant_id = String(cron.payload.assistant_id) } = change;
  const payload = { ...cron.payload, ...changes, assistant_id };
  // Disabling or rescheduling does not recheck the run's body against rules newer than the cron.
  if (Object.keys(changes).length > 0) refuseBadBody(turn, { threadId: cron.thread_id, body: payload });
  const metadata = { ...cron.metadata, ...change.metadata };
  if (change.metadata !== undefined) requireMetadataSize(turn, { metadata });
  const after = planNextRun(turn, {
    ...cron,
    assistant_id: assistant?.assistant_id ?? cron.assistant_id,
    schedule,
    timezone,
    end_time: change.end_time === undefined ? cron.end_time : instantIn(change.end_time),
    enabled: changedFields(change.enabled, cron.enabled),
    on_run_completed:
      cron.thread_id === null ? changedFields(change.on_run_completed, cron.on_run_completed) : null,
    metadata,
    payload,
    updated_at: turn.now,
  });
  if (needsEvent(after)) requireEventCapacity(turn);
  return storeAndSchedule(turn, after);
}

/** The body of the runs: the request without the members of the cron itself. */
function payloadIn<Body extends CronChange>(body: Body): Omit<Body, (typeof CRON_WORDS)[number]> {
  const payload = { ...body };
  for (const name of CRON_WORDS) delete payload[name];
  return payload;
}

function refuseInvalidSchedule(turn: Turn, schedule: string, timezone: string | null): void {
  const problem = turn.ports.schedules.problem(schedule, timezone);
  if (problem)
    throw new Refusal(422, "invalid_cron", `body.${problem.field}: ${problem.message}`, problem.hint);
}

function refuseFullWorkspace(turn: Turn, workspace: Workspace): void {
  const { crons_per_workspace: most } = turn.ports.settings.limits;
  if (turn.count(CRONS, workspaceKey(workspace)) < most) return;
  throw new Refusal(
    422,
    "too_many_crons",
    `The workspace has ${most} crons, the maximum.`,
    "Delete some, or raise limits.crons_per_workspace.",
  );
}

/** An end time; a text without a zone is in UTC. Throws a `Refusal` for a time that does not exist. */
function instantIn(text: string | null | undefined): number | null {
  if (text == null) return null;
  const instant = parseInstant(text) ?? parseInstant(`${text}Z`);
  if (instant === undefined)
    throw new Refusal(
      422,
      "invalid_cron",
      `body.end_time: ${text} ${timeProblem(text, "an ISO 8601 time")}.`,
    );
  return instant;
}
