import { type IncomingHttpHeaders, request as send } from "node:http";
import { Sha256 } from "@aws-crypto/sha256-js";
import { SignatureV4 } from "@smithy/signature-v4";
import type { TestServer } from "./harness.ts";

const signer = new SignatureV4({
  service: "s3",
  region: "us-east-1",
  credentials: { accessKeyId: "emulator", secretAccessKey: "emulator-secret" },
  sha256: Sha256,
  uriEscapePath: false,
});

export interface RequestParts {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface RawReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A request that no SDK would make, with a right signature; header values are sent as their UTF-8 bytes. */
export async function sendSigned(
  server: Pick<TestServer, "port">,
  { method, path, query = {}, headers = {}, body = "" }: RequestParts,
): Promise<RawReply> {
  const signed = await signer.sign({
    method,
    protocol: "http:",
    hostname: "127.0.0.1",
    path,
    query: { ...query },
    headers: {
      ...headers,
      host: `127.0.0.1:${server.port}`,
      "content-length": String(Buffer.byteLength(body)),
      "x-amz-content-sha256": "UNSIGNED-PAYLOAD",
    },
    body,
  });
  const search = Object.entries(query).map((pair) => pair.map(encodeURIComponent).join("="));
  const asBytes = Object.entries(signed.headers).map(
    ([name, value]) => [name, Buffer.from(value).toString("latin1")] as const,
  );
  return new Promise((resolve, reject) => {
    const options = {
      host: "127.0.0.1",
      port: server.port,
      method,
      path: search.length > 0 ? `${path}?${search.join("&")}` : path,
      headers: Object.fromEntries(asBytes),
    };
    const outgoing = send(options, (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece: Buffer) => void pieces.push(piece));
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(pieces).toString(),
        }),
      );
    });
    outgoing.on("error", reject).end(body);
  });
}
