import type { Turn } from "../turn.ts";
import { ASSISTANT_VERSIONS, type Assistant, assistantKey } from "./records.ts";

/** The stored versions of an assistant, the newest first. A built-in assistant has only its own. */
export function versionsOf(turn: Turn, assistant: Assistant): readonly Assistant[] {
  const versions = [...turn.list(ASSISTANT_VERSIONS, assistantKey(assistant))];
  return versions.length === 0 ? [assistant] : versions.sort((a, b) => b.version - a.version);
}

/** Stores an assistant as it is now as a version; removes the oldest beyond limits.agent_assistant_versions. */
export function storeVersion(turn: Turn, assistant: Assistant): void {
  turn.put(ASSISTANT_VERSIONS, assistant);
  const { agent_assistant_versions } = turn.ports.settings.limits;
  for (const { version } of versionsOf(turn, assistant).slice(agent_assistant_versions))
    turn.remove(ASSISTANT_VERSIONS, `${assistantKey(assistant)}/${version}`);
}

/** The number of the next version, also after an earlier one has become the latest. */
export function nextVersion(turn: Turn, assistant: Assistant): number {
  return Math.max(assistant.version, versionsOf(turn, assistant)[0]?.version ?? 0) + 1;
}

export function removeVersions(turn: Turn, assistant: Assistant): void {
  for (const { version } of versionsOf(turn, assistant))
    turn.remove(ASSISTANT_VERSIONS, `${assistantKey(assistant)}/${version}`);
}
