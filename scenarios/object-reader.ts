import { createHash, createHmac } from "node:crypto";

/** Reads the object store of an emulator over its port, with a key pair of its own. */
export interface ObjectReader {
  /** Keys below a prefix, in order. */
  list(bucket: string, prefix: string): Promise<readonly string[]>;
  read(bucket: string, key: string): Promise<Uint8Array>;
}

/** A key pair that a scenario under test cannot revoke by accident. */
export const READER_KEY = {
  access_key_id: "scenario-reader",
  secret_access_key: "scenario-reader-secret",
  allow: ["get", "list"],
} as const;

const REGION = "us-east-1";
const PAYLOAD = "UNSIGNED-PAYLOAD";
const MAX_PAGES = 1_000;

/** Signs with `READER_KEY`; rejects when the store answers with an error. */
export function createObjectReader(base: string): ObjectReader {
  return {
    async list(bucket, prefix) {
      const { XMLParser } = await import("fast-xml-parser");
      const parser = new XMLParser({ parseTagValue: false, isArray: (name) => name === "Contents" });
      const keys: string[] = [];
      let token: string | undefined;
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const query = {
          "list-type": "2",
          prefix,
          ...(token !== undefined && { "continuation-token": token }),
        };
        const { ListBucketResult: found } = parser.parse(await (await get(base, `/${bucket}`, query)).text());
        for (const { Key } of found.Contents ?? []) keys.push(Key);
        if (found.IsTruncated !== "true") return keys;
        token = found.NextContinuationToken;
      }
      throw new Error(`${bucket} holds more than ${keys.length} objects below ${prefix}`);
    },
    async read(bucket, key) {
      const path = `/${bucket}/${key.split("/").map(encoded).join("/")}`;
      return new Uint8Array(await (await get(base, path, {})).arrayBuffer());
    },
  };
}

async function get(base: string, path: string, query: Readonly<Record<string, string>>): Promise<Response> {
  const search = Object.entries(query)
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join("&");
  const reply = await fetch(`${base}${path}?${search}`, { headers: signedHeaders(base, path, search) });
  if (reply.ok) return reply;
  const [, code] = /<Code>([^<]*)<\/Code>/.exec(await reply.text()) ?? [];
  throw new Error(`the object store answered ${reply.status} ${code ?? ""} to GET ${path}`);
}

/** Signature Version 4 of a request without a body; it covers the base path of a world too. */
function signedHeaders(base: string, path: string, search: string): Record<string, string> {
  const time = new Date().toISOString().replace(/[-:]|\.\d{3}/g, "");
  const scope = [time.slice(0, 8), REGION, "s3", "aws4_request"];
  const { host, pathname } = new URL(base);
  const headers = { host, "x-amz-content-sha256": PAYLOAD, "x-amz-date": time };
  const names = Object.keys(headers).join(";");
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
  const canonical = ["GET", pathname.replace(/\/$/, "") + path, search, lines.join(""), names, PAYLOAD].join(
    "\n",
  );
  const toSign = ["AWS4-HMAC-SHA256", time, scope.join("/"), sha256(canonical)].join("\n");
  const key = scope.reduce<Buffer | string>(
    (data, part) => hmac(data, part),
    `AWS4${READER_KEY.secret_access_key}`,
  );
  const credential = `${READER_KEY.access_key_id}/${scope.join("/")}`;
  const { host: _, ...sent } = headers;
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${hmac(key, toSign).toString("hex")}`,
  };
}

function hmac(key: Buffer | string, data: string): Buffer {
  return createHmac("sha256", key).update(data).digest();
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
