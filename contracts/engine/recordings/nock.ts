import { isMembers, type Members } from "../json.ts";
import { ENCODED_BODY, type RecordedEntry, RecordingError } from "./recorded-entry.ts";

/** Whether a JSON value is what nock's recorder returns with `output_objects`. */
export function isNockRecording(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.some((item) => isMembers(item) && "scope" in item);
}

/** The exchanges that nock recorded. Throws `RecordingError`. */
export function nockEntries(definitions: readonly unknown[]): readonly RecordedEntry[] {
  return definitions.map((definition, index) => {
    const place = index + 1;
    const { scope, method, path, status = 200, body, response, reqheaders } = membersOf(definition);
    if (typeof scope !== "string" || typeof path !== "string" || typeof status !== "number")
      throw new RecordingError(`entry ${place} has no scope, path or status, which nock records`);
    const headers = pairsOf(membersOf(definition).rawHeaders);
    const isEncoded = "content-encoding" in headers || membersOf(definition).responseIsBinary === true;
    return {
      place,
      exchange: {
        method: String(method ?? "GET"),
        url: scope.replace(/:(80|443)$/, "") + path,
        ...(isMembers(reqheaders) && { requestHeaders: textsOf(reqheaders) }),
        ...(body !== undefined && body !== "" && { requestBody: body }),
        status,
        ...(Object.keys(headers).length > 0 && { headers }),
        ...(response !== undefined && response !== "" && { body: response }),
      },
      ...(isEncoded && { unreadable: ENCODED_BODY }),
      startedAt: place,
      endedAt: place,
    };
  });
}

function membersOf(value: unknown): Members {
  return isMembers(value) ? value : {};
}

function textsOf(headers: Members): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

/** Headers as a list of names and values in turn, or as an object. */
function pairsOf(headers: unknown): Readonly<Record<string, string>> {
  if (isMembers(headers)) return textsOf(headers);
  const list: readonly unknown[] = Array.isArray(headers) ? headers : [];
  const names = list.filter((_, index) => index % 2 === 0);
  return Object.fromEntries(
    names.map((name, index) => [String(name).toLowerCase(), String(list[2 * index + 1])]),
  );
}
