import * as fs from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { messageOf, S3_ERRORS, type S3Failure } from "../../subjects/object-storage/errors.ts";
import type { Reply } from "./call.ts";
import { writeXml } from "./xml.ts";

/** Larger bodies go out in pieces of this size, which fits the caches of a processor. */
const PIECE_BYTES = 256 * 1024;
/** Buffers that wait for the next large body: a new one costs more than to fill it. */
const spare: Buffer[] = [];
const SPARE_MAX = 8;

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
  try {
    if (bodiless) response.end();
    else if (length <= PIECE_BYTES) sendWhole(fd, start, length, response);
    else await sendPieces(fd, start, length, response);
  } finally {
    fs.closeSync(fd);
  }
}

function sendWhole(fd: number, start: number, length: number, response: ServerResponse): void {
  const buffer = Buffer.allocUnsafe(length);
  const bytesRead = length === 0 ? 0 : fs.readSync(fd, buffer, 0, length, start);
  // Shorter than it was a moment ago: a broken connection is the only honest answer left.
  if (bytesRead < length) response.destroy();
  else response.end(buffer);
}

/** Two buffers take turns: one is filled while the other goes out. */
async function sendPieces(
  fd: number,
  start: number,
  length: number,
  response: ServerResponse,
): Promise<void> {
  const buffers = [takeBuffer(), takeBuffer()] as const;
  const sent = [Promise.resolve(), Promise.resolve()];
  let offset = 0;
  for (let turn = 0; offset < length; turn = 1 - turn) {
    const [buffer, before] = [buffers[turn] as Buffer, sent[turn]];
    await before;
    // A thread would take longer: the system mostly has it in memory, as it was read through when it was opened first.
    const bytesRead = fs.readSync(fd, buffer, 0, Math.min(PIECE_BYTES, length - offset), start + offset);
    if (bytesRead === 0) response.destroy();
    if (response.destroyed) return;
    sent[turn] = written(response, buffer.subarray(0, bytesRead));
    offset += bytesRead;
  }
  await Promise.all(sent);
  response.end();
  // Those of a broken connection may still be read.
  if (!response.destroyed) spare.push(...buffers.slice(0, Math.max(0, SPARE_MAX - spare.length)));
}

function takeBuffer(): Buffer {
  return spare.pop() ?? Buffer.allocUnsafeSlow(PIECE_BYTES);
}

/** Resolves when the system has the bytes, or the client is gone. */
function written(response: ServerResponse, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off("close", done);
      resolve();
    };
    response.once("close", done);
    response.write(bytes, done);
  });
}
