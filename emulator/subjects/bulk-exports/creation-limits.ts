import { formatInstant } from "../../kernel/instant.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { hasNewerFeatures } from "../settings.ts";
import type { Turn } from "../turn.ts";
import { type Workspace, workspaceKey } from "../workspace.ts";
import { isFinal } from "./lifecycle.ts";
import { EXPORTS } from "./records.ts";

const HOUR_MS = 3_600_000;

/**
 * Throws a `Refusal` (429) for one export or schedule too many of a hosted workspace (platform.newer_features). Spawned
 * exports count, and are never refused: their windows would have a gap.
 */
export function refuseTooMany(turn: Turn, workspace: Workspace, isSchedule: boolean): void {
  const { settings } = turn.ports;
  if (!hasNewerFeatures(settings) || settings.deployment !== "hosted") return;
  const { export_creations_per_hour, active_schedules_per_workspace } = settings.limits;
  const group = workspaceKey(workspace);
  const offset = turn.count(EXPORTS, group) - export_creations_per_hour;
  const [earlier] = offset < 0 ? [] : turn.page(EXPORTS, { group, offset, limit: 1 });
  if (earlier && turn.now - earlier.created_at < HOUR_MS)
    throw new Refusal(
      429,
      "too_many_exports",
      `The workspace has created ${export_creations_per_hour} exports in the last hour; the public service accepts no more.`,
      `Wait until ${formatInstant(earlier.created_at + HOUR_MS)}, or raise limits.export_creations_per_hour.`,
    );
  if (!isSchedule) return;
  let active = 0;
  for (const record of turn.list(EXPORTS, group))
    if (record.interval_hours !== null && !isFinal(record)) active += 1;
  if (active >= active_schedules_per_workspace)
    throw new Refusal(
      429,
      "too_many_schedules",
      `The workspace has ${active} active schedules; the public service accepts no more.`,
      "Cancel one of them, or raise limits.active_schedules_per_workspace.",
    );
}
