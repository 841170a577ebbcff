import type { S3Client } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, expect } from "vitest";
import { codeOf, openTestServer, type TestServer } from "./harness.ts";

/** One server and one client for all tests of a file, none of which may lead to a defect. */
export function serverOfFile(prepare: (send: S3Client["send"]) => unknown = () => undefined) {
  let server: TestServer;
  let client: S3Client;
  const send = ((command: Parameters<S3Client["send"]>[0]) => client.send(command)) as S3Client["send"];
  beforeAll(async () => {
    server = await openTestServer();
    client = server.client();
    await prepare(send);
  });
  afterAll(async () => {
    expect([server.defects, server.world.defect]).toEqual([[], undefined]);
    await server.close();
  });
  return {
    server: () => server,
    send,
    /** The code of the S3 error that a command ends in. */
    errorOf: (command: object) => codeOf(send(command as Parameters<S3Client["send"]>[0])),
  };
}
