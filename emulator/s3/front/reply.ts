import * as fs from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { messageOf, S3_ERRORS, type S3Failure } from "../../subjects/object-storage/errors.ts";
import type { Reply } from "./call.ts";
import { writeXml } from "./xml.ts";

/** Larger bodies are sent in chunks of this size, which fits the caches of a processor. */
const CHUNK_BYTES = 256 * 1024;
/** Buffers for the next large body: allocating one costs more than filling it. */
const spareBuffers: Buffer[] = [];
const MAX_SPARE_BUFFERS = 8;

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

/** Sends a reply; a closed connection is ignored. */
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
    else if (length <= CHUNK_BYTES) sendWhole(fd, start, length, response);
    else await sendInChunks(fd, start, length, response);
  } finally {
    fs.closeSync(fd);
  }
}

function sendWhole(fd: number, start: number, length: number, response: ServerResponse): void {
  const buffer = Buffer.allocUnsafe(length);
  const bytesRead = length === 0 ? 0 : fs.readSync(fd, buffer, 0, length, start);
  // The file has become shorter. The headers are sent, so only a broken connection can report it.
  if (bytesRead < length) response.destroy();
  else response.end(buffer);
}

/** Uses two buffers: one is filled while the other is sent. */
async function sendInChunks(
  fd: number,
  start: number,
  length: number,
  response: ServerResponse,
): Promise<void> {
  const buffers = [takeBuffer(), takeBuffer()] as const;
  const writes = [Promise.resolve(), Promise.resolve()];
  let offset = 0;
  for (let turn = 0; offset < length; turn = 1 - turn) {
    const [buffer, before] = [buffers[turn] as Buffer, writes[turn]];
    await before;
    // A thread would take longer: the file is mostly in the system's cache, because opening it first read all of it.
    const bytesRead = fs.readSync(fd, buffer, 0, Math.min(CHUNK_BYTES, length - offset), start + offset);
    if (bytesRead === 0) response.destroy();
    if (response.destroyed) return;
    writes[turn] = writeBytes(response, buffer.subarray(0, bytesRead));
    offset += bytesRead;
  }
  await Promise.all(writes);
  response.end();
  // A broken connection may still read its buffers.
  if (!response.destroyed)
    spareBuffers.push(...buffers.slice(0, Math.max(0, MAX_SPARE_BUFFERS - spareBuffers.length)));
}

function takeBuffer(): Buffer {
  return spareBuffers.pop() ?? Buffer.allocUnsafeSlow(CHUNK_BYTES);
}

/** Resolves when the system has the bytes or the connection is closed. */
function writeBytes(response: ServerResponse, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      response.off("close", finish);
      resolve();
    };
    response.once("close", finish);
    response.write(bytes, finish);
  });
}
