import { type HttpReply, jsonReply } from "../../subjects/message.ts";

/** Codes of gRPC by status of HTTP; INVALID_ARGUMENT for the others. */
const CODES: Readonly<Record<number, number>> = { 401: 16, 403: 7, 404: 5, 413: 8, 429: 8, 500: 13 };
const INVALID_ARGUMENT = 3;

/** An error in the form that OTLP/HTTP asks for: google.rpc.Status, in protobuf if the request was in protobuf. */
export function otlpErrorReply(status: number, message: string, isProtobuf: boolean): HttpReply {
  const code = CODES[status] ?? INVALID_ARGUMENT;
  if (!isProtobuf) return jsonReply(status, { code, message });
  return { status, headers: { "content-type": "application/x-protobuf" }, body: encoded(code, message) };
}

/** `code` is field 1, `message` field 2; by hand, since loading the protobuf library takes a moment and a reply is due. */
function encoded(code: number, message: string): Uint8Array {
  const text = new TextEncoder().encode(message);
  const length: number[] = [];
  let rest = text.length;
  for (; rest > 0x7f; rest >>>= 7) length.push((rest & 0x7f) | 0x80);
  return Uint8Array.of(0x08, code, 0x12, ...length, rest, ...text);
}
