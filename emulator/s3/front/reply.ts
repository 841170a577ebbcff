import * as fs from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { messageOf, S3_ERRORS, type S3Failure } from "../../subjects/object-storage/errors.ts";
import type { Reply } from "./call.ts";
import { writeXml } from "./xml.ts";

/** Bodies up to this size go out in one piece, without a stream. */
const SMALL_BODY_BYTES = 256 * 1024;

/** The error document of the real service. */
export function errorReply(why: S3Failure, resource: string, requestId: string): Reply {
  const { status } = S3_ERRORS[why.error];
  const content = {
    Code: why.error,
    Message: messageOf(why),
    ...why.detail,
    Resource: resource,
    RequestId: requestId,
    HostId: requestId,
  };
  return { status, xml: writeXml("Error", content, false) };
}

/** Sends a reply; a client that went away is none of our trouble. */
export async function send(reply: Reply, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, headers = {}, xml, body } = reply;
  const bodiless = request.method === "HEAD" || status === 304 || status === 204;
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (body) {
    response.setHeader("content-length", body.length);
    await sendBody(body, bodiless, response);
    return;
  }
  if (xml !== undefined) {
    response.setHeader("content-type", "application/xml");
    const bytes = Buffer.from(xml);
    if (!bodiless) response.setHeader("content-length", bytes.length);
    response.end(bodiless ? undefined : bytes);
    return;
  }
  if (status === 200) response.setHeader("content-length", 0);
  response.end();
}

async function sendBody(
  { fd, start, length }: NonNullable<Reply["body"]>,
  bodiless: boolean,
  response: ServerResponse,
): Promise<void> {
  if (bodiless || length <= SMALL_BODY_BYTES) {
    const buffer = Buffer.allocUnsafe(bodiless ? 0 : length);
    const bytesRead = buffer.length === 0 ? 0 : fs.readSync(fd, buffer, 0, length, start);
    fs.closeSync(fd);
    // Shorter than it was a moment ago: a broken connection is the only honest answer left.
    if (bytesRead < buffer.length) response.destroy();
    else response.end(bodiless ? undefined : buffer);
    return;
  }
  const stream = fs.createReadStream("", {
    fd,
    start,
    end: start + length - 1,
    highWaterMark: SMALL_BODY_BYTES,
  });
  await pipeline(stream, response).catch(() => undefined);
}
