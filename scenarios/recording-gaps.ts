import type { RecordingLine } from "../contracts/engine/recorded.ts";
import type { RecordingHeader } from "../emulator/client/control-client.ts";

/** What replaces a secret in a recording; a number follows for each further secret. */
const LEFT_OUT = "left-out";

/** What a replay of a recording cannot repeat, and what to do about it. */
export function gapsOf(
  { complete, dropped, pending }: RecordingHeader,
  requests: readonly RecordingLine[],
  hasSnapshot: boolean,
): readonly string[] {
  const gaps: string[] = [];
  if (dropped > 0)
    gaps.push(
      `${counted(dropped, "earlier request")} missing from the recording. Raise limits.recorded_requests and limits.recorded_bytes, and record again.`,
    );
  else if (!complete && !hasSnapshot)
    gaps.push(
      "The world existed before the recording, and its earlier requests are missing. Record again with a new world.",
    );
  const cut = requests.filter(({ body, method }) => body === null && method !== "GET").length;
  if (cut > 0)
    gaps.push(
      `${counted(cut, "body", "bodies")} missing, because a recording has only text of at most limits.recorded_body_bytes. Raise this limit, send JSON, and record again.`,
    );
  if (pending > 0)
    gaps.push(
      `${counted(pending, "request")} missing, because the reply was not sent yet. Wait for all replies, and record again.`,
    );
  return gaps;
}

/** Reasons why a replay may differ. */
export function warningsOf(requests: readonly RecordingLine[]): readonly string[] {
  const hasSecret = ({ query, body }: RecordingLine) =>
    query.includes(LEFT_OUT) || body?.includes(LEFT_OUT) === true;
  return requests.some(hasSecret) ? [`Secrets were left out: replace ${LEFT_OUT} with them.`] : [];
}

/** `1 body is`, `2 bodies are`. */
function counted(count: number, one: string, many = `${one}s`): string {
  return count === 1 ? `1 ${one} is` : `${count} ${many} are`;
}
