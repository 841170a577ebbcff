import type { BodyMedia } from "../../contracts/spec/operation.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { HttpRequest } from "../subjects/message.ts";
import type { LimitSettings } from "../subjects/settings.ts";
import { parseJson } from "./body.ts";
import { readMultipart } from "./multipart.ts";

/** Decodes a media type other than JSON to JSON values, and encodes replies. */
export interface Codec {
  /** Rejects with `Refusal` when the bytes are invalid. */
  read(bytes: Uint8Array): Promise<unknown>;
  write(value: unknown): Promise<Uint8Array>;
}

/** By media type. */
export type Codecs = Readonly<Partial<Record<BodyMedia, Codec>>>;

/** Decodes the body of an operation that accepts media types other than JSON. Throws `Refusal`. */
export async function readMedia(
  request: HttpRequest,
  media: readonly BodyMedia[],
  { body_bytes, form_parts, json_levels }: LimitSettings,
  codecs: Codecs,
): Promise<{ readonly value: unknown; readonly isForm: boolean }> {
  const { headers, body } = request;
  if (body.length > body_bytes)
    throw new Refusal(
      413,
      "body_too_large",
      `The body has ${body.length} bytes; at most ${body_bytes} are accepted.`,
      "limits.body_bytes sets the maximum.",
    );
  const type = mediaOf(request);
  const taken = media.find((one) => one === type);
  if (taken === undefined || (taken === "application/x-protobuf" && !codecs[taken]))
    throw new Refusal(
      415,
      "unsupported_media_type",
      `Content-Type must be ${media.join(" or ")}, not ${type || "missing"}.`,
    );
  const codec = codecs[taken];
  if (codec) return { value: await codec.read(body), isForm: false };
  if (body.length === 0)
    throw new Refusal(422, "missing_body", `A body is required (${media.join(" or ")}).`);
  if (taken === "multipart/form-data")
    return { value: readMultipart(body, headers["content-type"] ?? "", form_parts), isForm: true };
  return { value: parseJson(body, json_levels), isForm: false };
}

/** The codec of the reply: that of the request. */
export function codecFor(
  request: HttpRequest,
  media: readonly BodyMedia[] | undefined,
  codecs: Codecs,
): Codec | undefined {
  return codecs[media?.find((one) => one === mediaOf(request)) ?? "application/json"];
}

/** The media type of a body in lower case, without parameters; empty when the request names none. */
export function mediaOf({ headers }: HttpRequest): string {
  return (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}
