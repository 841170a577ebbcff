import type { BodyMedia } from "../../contracts/spec/operation.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { JsonBounds } from "../subjects/json-bounds.ts";
import type { HttpRequest } from "../subjects/message.ts";
import type { LimitSettings } from "../subjects/settings.ts";
import { mediaOf, parseJson, refuseTooLarge, unsupportedMedia } from "./body.ts";
import { readMultipart } from "./multipart.ts";

/** Decodes a media type other than JSON to JSON values, and encodes replies. */
export interface Codec {
  /** Rejects with `Refusal` when the bytes are invalid, nest too deep or have too many values. */
  read(bytes: Uint8Array, bounds: JsonBounds): Promise<unknown>;
  write(value: unknown): Promise<Uint8Array>;
}

export type Codecs = Readonly<Partial<Record<BodyMedia, Codec>>>;

/** Decodes the body of an operation that accepts media types other than JSON. Throws `Refusal`. */
export async function readMedia(
  request: HttpRequest,
  media: readonly BodyMedia[],
  limits: LimitSettings,
  codecs: Codecs,
): Promise<{ readonly value: unknown; readonly isForm: boolean }> {
  const { headers, body } = request;
  refuseTooLarge(body, limits);
  const type = mediaOf(headers);
  const acceptedType = media.find((each) => each === type);
  if (acceptedType === undefined || (acceptedType === "application/x-protobuf" && !codecs[acceptedType]))
    throw unsupportedMedia(type, media);
  const codec = codecs[acceptedType];
  if (codec) return { value: await codec.read(body, limits), isForm: false };
  if (body.length === 0)
    throw new Refusal(422, "missing_body", `A body is required (${media.join(" or ")}).`);
  if (acceptedType === "multipart/form-data")
    return { value: readMultipart(body, headers["content-type"] ?? "", limits.form_parts), isForm: true };
  return { value: parseJson(body, limits), isForm: false };
}

/** The codec of the reply: that of the request. */
export function codecFor(
  request: HttpRequest,
  media: readonly BodyMedia[] | undefined,
  codecs: Codecs,
): Codec | undefined {
  return codecs[media?.find((each) => each === mediaOf(request.headers)) ?? "application/json"];
}
