import { Refusal } from "../kernel/refusal.ts";
import { decodeUtf8 } from "../subjects/bytes.ts";
import type { HttpRequest } from "../subjects/message.ts";
import { parseItemTexts } from "./item-texts.ts";

/** Parses a JSON body of any depth; of the items of its lists some members may stay texts. Throws `Refusal` when it is not JSON, too large, or of another content type (§4-1). */
export function readBody(
  { headers, body }: HttpRequest,
  maxBytes: number,
  textMembers?: readonly string[],
): unknown {
  if (body.length > maxBytes)
    throw new Refusal(
      413,
      "body_too_large",
      `The body has ${body.length} bytes; at most ${maxBytes} are accepted.`,
      "limits.body_bytes sets the maximum.",
    );
  if (body.length === 0) throw new Refusal(422, "missing_body", "A JSON body is required.");
  const type = (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json")
    throw new Refusal(
      415,
      "unsupported_media_type",
      `Content-Type must be application/json, not ${type || "missing"}.`,
    );
  return (textMembers && parseItemTexts(body, textMembers)) ?? parseUtf8Json(body);
}

/** Parses JSON in UTF-8. Throws `Refusal` (422) when it is invalid or nests too deep. */
export function parseJson(body: Uint8Array, maxLevels: number): unknown {
  const value = parseUtf8Json(body);
  refuseTooDeep(value, maxLevels);
  return value;
}

/** Throws `Refusal` (422) for a value that nests deeper than checks and handlers can process. */
export function refuseTooDeep(value: unknown, maxLevels: number): void {
  if (isDeeperThan(value, maxLevels))
    throw new Refusal(
      422,
      "too_deep",
      `The body nests deeper than ${maxLevels} levels.`,
      "limits.json_levels sets the maximum.",
    );
}

function parseUtf8Json(body: Uint8Array): unknown {
  try {
    return JSON.parse(decodeUtf8(body));
  } catch (error) {
    throw new Refusal(422, "malformed_json", `The body is not JSON in UTF-8: ${(error as Error).message}.`);
  }
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  for (const key in value) if (isDeeperThan((value as Record<string, unknown>)[key], levels - 1)) return true;
  return false;
}
