import { createHash, createHmac } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { formatInstant } from "../../emulator/kernel/instant.ts";
import { Refusal } from "../../emulator/kernel/refusal.ts";
import { readXml } from "../../emulator/s3/front/xml.ts";
import {
  changeCredential,
  createCredential,
  deleteCredential,
} from "../../emulator/subjects/object-storage/credentials.ts";
import type { S3Fault } from "../../emulator/subjects/object-storage/faults.ts";
import { codeOf, NOW, openTestServer, type TestServer } from "./harness.ts";

const Bucket = "traces";
const KEY = { accessKeyId: "someone", secretAccessKey: "some-secret" };
let server: TestServer;
let fault: S3Fault | undefined;
let wall = Date.now();
let room = Number.POSITIVE_INFINITY;

/** Throws when the disk has too little free space for this many bytes. */
function requireRoom(bytes: number): void {
  room -= bytes;
  if (room < 0) throw new Refusal(413, "disk_full", "The disk is full.", "Make room.");
}

beforeEach(async () => {
  fault = undefined;
  wall = Date.now();
  room = Number.POSITIVE_INFINITY;
  server = await openTestServer({ triggerFault: () => fault, wallNow: () => wall, requireRoom });
  server.control((turn) =>
    createCredential(turn, { access_key_id: KEY.accessKeyId, secret_access_key: KEY.secretAccessKey }),
  );
  await server.client().send(new PutObjectCommand({ Bucket, Key: "there.txt", Body: "there" }));
});
test.each([
  ["text/html; charset=utf-8", "sandbox"],
  ["image/svg+xml", "sandbox"],
  ["application/xhtml+xml", "sandbox"],
  ["text/plain", null],
])("a browser shows a stored document of type %s without its scripts", async (type, policy) => {
  const client = server.client();
  await client.send(new PutObjectCommand({ Bucket, Key: "page", Body: "<b>", ContentType: type }));
  const url = await getSignedUrl(client, new GetObjectCommand({ Bucket, Key: "page" }));
  const { headers } = await fetch(url);
  expect([headers.get("content-security-policy"), headers.get("x-content-type-options")]).toEqual([
    policy,
    policy && "nosniff",
  ]);
});

afterEach(async () => {
  expect(server.defects).toEqual([]);
  expect(server.world.defect).toBeUndefined();
  await server.close();
});

const read = (credentials: object = KEY) =>
  codeOf(
    server
      .client({ credentials: credentials as typeof KEY })
      .send(new GetObjectCommand({ Bucket, Key: "there.txt" })),
  );

describe("identity", () => {
  test("wrong secret, unknown key, gone key", async ({ expect }) => {
    expect(await read()).toBe("no error");
    expect(await read({ ...KEY, secretAccessKey: "other" })).toBe("SignatureDoesNotMatch");
    expect(await read({ ...KEY, accessKeyId: "nobody" })).toBe("InvalidAccessKeyId");
    server.control((turn) => deleteCredential(turn, "someone"));
    expect(await read()).toBe("InvalidAccessKeyId");
  });

  test("session tokens: right, wrong, missing, needless, expired", async ({ expect }) => {
    expect(await read({ ...KEY, sessionToken: "needless" })).toBe("InvalidToken");
    const expires_at = formatInstant(NOW + 1000);
    server.control((turn) => changeCredential(turn, "someone", { session_token: "token", expires_at }));
    expect(await read({ ...KEY, sessionToken: "token" })).toBe("no error");
    expect(await read({ ...KEY, sessionToken: "other" })).toBe("InvalidToken");
    expect(await read()).toBe("InvalidAccessKeyId");
    server.world.moveTo(NOW + 1000);
    expect(await read({ ...KEY, sessionToken: "token" })).toBe("ExpiredToken");
  });

  test("nobody at all, and Signature Version 2, are refused clearly", async ({ expect }) => {
    const replyTo = async (query: string, headers = {}) => {
      const reply = await fetch(`${server.url}/traces/there.txt?${query}`, { headers });
      return `${reply.status} ${await reply.text()}`;
    };
    expect(await replyTo("")).toMatch(/^403 .*<Code>AccessDenied<.Code>/s);
    expect(await replyTo("", { authorization: "AWS someone:abc=" })).toMatch(/^400 .*Signature Version 4/s);
    const old = "AWSAccessKeyId=someone&Signature=abc%3D&Expires=4102444800";
    expect(await replyTo(old)).toMatch(/^400 .*s3v4/s);
    const algorithm = `X-Amz-Algorithm=AWS4-HMAC-SHA1&X-Amz-Signature=${"0".repeat(64)}&X-Amz-Expires=60`;
    expect(await replyTo(algorithm)).toMatch(/^400 .*syntax is malformed/s);
    for (const more of ["HMAC-SHA256", "HMAC-SHA256 Credential=a/b, Signature=zz", "X y"])
      expect(await replyTo("", { authorization: `AWS4-${more}` })).toMatch(/^400 /);
  });

  test("an upload by a form is said not to be there", async ({ expect }) => {
    const form = new FormData();
    form.set("key", "x.txt");
    const reply = await fetch(`${server.url}/traces`, { method: "POST", body: form });
    expect([reply.status, await reply.text()]).toEqual([501, expect.stringContaining("PostObject")]);
  });

  test.for([
    ["Date as HTTP has it", (at: Date) => at.toUTCString(), "200"],
    ["Date in the short form of ISO 8601", basic, "200"],
    ["a Date that is not a date", () => "yesterday", "403"],
    ["a Date of an hour ago", (at: Date) => new Date(at.getTime() - 3_600_000).toUTCString(), "403"],
  ] as const)("%s alone dates a signature: %3$s", async ([_title, spell, status], { expect }) => {
    const date = spell(new Date(wall));
    const { head } = signedPut("dated.txt", "UNSIGNED-PAYLOAD", { "content-length": "0", date });
    expect(await exchange(head)).toMatch(new RegExp(`^HTTP/1.1 ${status}`));
  });

  test("a clock that is off by more than a quarter of an hour receives the time", async ({ expect }) => {
    wall = Date.now() + 14 * 60_000;
    expect(await read()).toBe("no error");
    wall = Date.now() + 16 * 60_000;
    expect(await read()).toBe("RequestTimeTooSkewed");
    // The SDK sets its clock by the reply and, when allowed another attempt, gets through.
    const client = server.client({ maxAttempts: 2 });
    expect(await codeOf(client.send(new GetObjectCommand({ Bucket, Key: "there.txt" })))).toBe("no error");
  });
});

describe("permissions", () => {
  const attempts = {
    put: () => new PutObjectCommand({ Bucket, Key: "new.txt", Body: "new" }),
    get: () => new GetObjectCommand({ Bucket, Key: "there.txt" }),
    delete: () => new DeleteObjectCommand({ Bucket, Key: "there.txt" }),
    list: () => new ListObjectsV2Command({ Bucket }),
  } as const;

  test.for(["put", "get", "delete", "list", "abort"] as const)(
    "without %s only that is refused",
    async (action, { expect }) => {
      const client = server.client({ credentials: KEY });
      const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key: "u.bin" }));
      server.control((turn) => changeCredential(turn, "someone", { deny: [action] }));
      const outcomes: Record<string, string> = {};
      for (const name of ["put", "get", "list", "delete"] as const) {
        outcomes[name] = await codeOf(client.send(attempts[name]() as never));
      }
      const abort = new AbortMultipartUploadCommand({ Bucket, Key: "u.bin", UploadId });
      outcomes.abort = await codeOf(client.send(abort));
      const others = Object.fromEntries(
        [...Object.keys(attempts), "abort"].map((name) => [name, "no error"]),
      );
      expect(outcomes).toEqual({ ...others, [action]: "AccessDenied" });
    },
  );

  test("a key of one bucket opens no other, and a missing object is hidden from those who may not list", async ({
    expect,
  }) => {
    server.control((turn) => changeCredential(turn, "someone", { bucket: "elsewhere" }));
    expect(await read()).toBe("AccessDenied");
    server.control((turn) => changeCredential(turn, "someone", { bucket: null, deny: ["list"] }));
    const client = server.client({ credentials: KEY });
    expect(await codeOf(client.send(new GetObjectCommand({ Bucket, Key: "missing" })))).toBe("AccessDenied");
  });
});

describe("faults", () => {
  test("an error, a deleted bucket, a reset", async ({ expect }) => {
    fault = { s3_error: "SlowDown" };
    expect(await read()).toBe("SlowDown");
    fault = { reset: true };
    expect(await read()).toMatch(/ECONNRESET|TimeoutError|Error/);
    fault = { delete_bucket: "traces" };
    expect(await read()).toBe("NoSuchBucket");
    expect(existsSync(join(server.folder, "traces"))).toBe(false);
  });

  test("a delay lasts until virtual time has passed it", async ({ expect }) => {
    fault = { delayMs: 60_000 };
    const reading = read();
    while (!server.world.nextEvent()) await new Promise(setImmediate);
    server.world.moveTo(NOW + 60_000);
    expect(await reading).toBe("no error");
  });
});

describe("bodies that are not what they were said to be", () => {
  const names = () => server.strayBodies();

  test("a PUT that is cut off stores nothing, and the object before it stays", async ({ expect }) => {
    const { head } = signedPut("there.txt", "UNSIGNED-PAYLOAD", { "content-length": "2000000" });
    const socket = connect(server.port, "127.0.0.1");
    // So much that a part of it is written before the rest is there.
    socket.write(head + "only this much".repeat(50_000));
    while (names().length === 0) await new Promise(setImmediate);
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.destroy();
    await closed;
    while (names().length > 0) await new Promise(setImmediate);
    const got = await server.client().send(new GetObjectCommand({ Bucket, Key: "there.txt" }));
    expect(await got.Body?.transformToString()).toBe("there");
  });

  test.for([
    ["for which the disk has no room", "UNSIGNED-PAYLOAD", 1_000_000],
    ["whose second chunk is malformed", "STREAMING-UNSIGNED-PAYLOAD-TRAILER", Number.POSITIVE_INFINITY],
  ] as const)(
    "a client that sends all of a body %s receives the refusal",
    async ([_, payload, free], { expect }) => {
      room = free;
      const body = Buffer.concat([Buffer.from("1\r\nx\r\nnot a chunk\r\n"), Buffer.alloc(32 * 1024 * 1024)]);
      const { head } = signedPut("large.bin", payload, {
        "content-length": String(body.length),
        "x-amz-decoded-content-length": String(body.length),
      });
      const socket = connect(server.port, "127.0.0.1").pause();
      await new Promise((resolve) => socket.write(Buffer.concat([Buffer.from(head), body]), resolve));
      const [reply] = await once(socket.resume(), "data");
      expect(String(reply)).toMatch(/^HTTP\/1.1 (400|503) /);
      socket.destroy();
      expect(names()).toEqual([]);
    },
  );

  test("signed chunks: right ones pass, a wrong signature or a changed byte is refused", async ({
    expect,
  }) => {
    const send = async (change: (body: string) => string): Promise<string> => {
      const { head, seed, key, date, scope } = signedPut("chunks.txt", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD", {
        "content-encoding": "aws-chunked",
        "x-amz-decoded-content-length": "8",
        "transfer-encoding": "chunked",
      });
      let previous = seed;
      const frames = ["hell", "o ha", ""].map((chunk) => {
        previous = hmac(
          key,
          ["AWS4-HMAC-SHA256-PAYLOAD", date, scope, previous, sha256(""), sha256(chunk)].join("\n"),
        ).toString("hex");
        return `${chunk.length.toString(16)};chunk-signature=${previous}\r\n${chunk}\r\n`;
      });
      const body = change(frames.join(""));
      return exchange(head + inOneChunk(body));
    };
    expect(await send((body) => body)).toContain("200 OK");
    expect(await send((body) => body.replace("hell", "hall"))).toContain(
      "<Code>SignatureDoesNotMatch</Code>",
    );
    expect(await send((body) => body.replace(/=[0-9a-f]/, "=x"))).toContain("<Code>InvalidRequest</Code>");
    expect(await send((body) => body.slice(0, 120))).toContain("<Code>IncompleteBody</Code>");
    for (const rest of ["more", "\r\n", "0\r\n\r\n"])
      expect(await send((body) => body + rest)).toMatch(/<Code>(InvalidRequest|IncompleteBody)<.Code>/);
    expect(names()).toEqual([]);
  });

  test("a wrong trailer checksum, hash, length or MD5 is refused", async ({ expect }) => {
    const trailer = (checksum: string, rest = "") => {
      const { head } = signedPut("trailer.txt", "STREAMING-UNSIGNED-PAYLOAD-TRAILER", {
        "content-encoding": "aws-chunked",
        "x-amz-decoded-content-length": "5",
        "x-amz-trailer": "x-amz-checksum-crc32",
        "transfer-encoding": "chunked",
      });
      const body = `5\r\nhello\r\n0\r\n${checksum}\r\n\r\n${rest}`;
      return exchange(head + inOneChunk(body));
    };
    expect(await trailer("x-amz-checksum-crc32:NhCmhg==")).toContain("200 OK");
    expect(await trailer("x-amz-checksum-crc32:NhCmhg==", "5\r\nagain\r\n")).toContain("InvalidRequest");
    expect(await trailer("x-amz-checksum-crc32:NhCmhA==")).toContain("<Code>BadDigest</Code>");
    expect(await trailer("x-amz-checksum-crc32:short")).toContain("<Code>InvalidRequest</Code>");
    expect(await trailer("x-other:1")).toContain("<Code>MalformedTrailerError</Code>");
    const plain = (payload: string, headers: Record<string, string>) =>
      exchange(`${signedPut("plain.txt", payload, { "content-length": "5", ...headers }).head}hello`);
    expect(await plain(sha256("hello"), {})).toContain("200 OK");
    expect(await plain(sha256("other"), {})).toContain("<Code>XAmzContentSHA256Mismatch</Code>");
    expect(await plain("UNSIGNED-PAYLOAD", { "content-md5": "XUFAKrxLKna5cZ2REBfFkg==" })).toContain(
      "200 OK",
    );
    expect(await plain("UNSIGNED-PAYLOAD", { "content-md5": "XUFAKrxLKna5cZ2REBfFkA==" })).toContain(
      "BadDigest",
    );
    expect(await plain("UNSIGNED-PAYLOAD", { "content-md5": "nonsense" })).toContain("InvalidDigest");
    const crc32s = { "x-amz-checksum-crc32": "NhCmhg==", "x-amz-checksum-crc32c": "mnG7TA==" };
    expect(await plain("UNSIGNED-PAYLOAD", crc32s)).toContain("Expecting a single x-amz-checksum- header");
    expect(await plain("STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD", {})).toContain("NotImplemented");
    expect(names()).toEqual([]);
  });

  test.for([
    "",
    "undefined",
    "UNSIGNED",
    "unsigned-payload",
    "STREAMING-MADE-UP",
    "e3b0c442",
    "E".repeat(64),
  ])("%j in place of a digest is refused, also where there is no body", async (payload, { expect }) => {
    const { head } = signedPut("plain.txt", payload, { "content-length": "0" });
    for (const method of ["PUT", "GET"])
      expect(await exchange(head.replace("PUT", method))).toMatch(/^HTTP\/1.1 400 .*<Code>InvalidArgument/s);
  });

  test("a presigned address lasts a whole number of seconds", async ({ expect }) => {
    const address = await getSignedUrl(server.client(), new GetObjectCommand({ Bucket, Key: "there.txt" }));
    for (const seconds of ["1e3", "0x10", " 60", "60.0", "-1", "0", "604801", ""]) {
      const reply = await fetch(address.replace(/(X-Amz-Expires=)\d+/, `$1${encodeURIComponent(seconds)}`));
      expect([seconds, reply.status, await reply.text()]).toEqual([
        seconds,
        400,
        expect.stringContaining("between 1 and 604800 seconds"),
      ]);
    }
  });

  test("a document of more levels or elements than clients send is refused before it is parsed", async ({
    expect,
  }) => {
    const many = 100_000;
    const parts = "<Part><PartNumber>1</PartNumber><ETag>&quot;a&quot;</ETag></Part>".repeat(10_000);
    const xml = `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts}</CompleteMultipartUpload>`;
    await readXml(xml, "CompleteMultipartUpload");
    for (const inside of [
      "<a>".repeat(9) + "</a>".repeat(9),
      "<a>".repeat(many) + "</a>".repeat(many),
      "<a/>".repeat(many),
      "<?a?>".repeat(many),
      "&#65;".repeat(many),
      `<a ${"b='' ".repeat(many)}/>`,
      `<a ${"b ".repeat(many)}/>`,
    ])
      await expect(readXml(`<Delete>${inside}</Delete>`, "Delete")).rejects.toMatchObject({
        trouble: { error: "MalformedXML" },
      });
  });

  test("a header that was not signed is refused", async ({ expect }) => {
    const { head } = signedPut("x.txt", "UNSIGNED-PAYLOAD", { "content-length": "0" });
    const reply = await exchange(
      head.replace("\r\n\r\n", "\r\nx-amz-copy-source: /traces/there.txt\r\n\r\n"),
    );
    expect(reply).toContain("which were not signed");
  });

  test("refuses malformed targets and methods, and continues", async ({ expect }) => {
    const request = (line: string) => exchange(`${line} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    for (const line of ["GET /%zz/x", "GET /%ff/%fe", "GET //x", "PATCH /traces/x", "GET /?%zz", "OPTIONS *"])
      expect(await request(line)).toMatch(/^HTTP\/1.1 4\d\d/);
    expect(await read()).toBe("no error");
  });
});

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

/** An instant as signatures spell it. */
function basic(instant: Date): string {
  return instant.toISOString().replace(/[-:]|\.\d{3}/g, "");
}

/** A signed PUT's head, written by hand from the published description of Signature Version 4. */
function signedPut(key: string, payload: string, more: Record<string, string>) {
  // Where the request has a date of its own, no other one is sent.
  const parsed = Date.parse(more.date ?? "");
  const date = basic(new Date(Number.isNaN(parsed) ? wall : parsed));
  const day = date.slice(0, 8);
  const headers: Record<string, string> = {
    ...more,
    host: `127.0.0.1:${server.port}`,
    "x-amz-content-sha256": payload,
    ...(more.date === undefined && { "x-amz-date": date }),
  };
  const signed = Object.keys(headers)
    .filter((name) => name !== "transfer-encoding")
    .sort();
  const canonical = [
    "PUT",
    `/traces/${key}`,
    "",
    ...signed.map((name) => `${name}:${headers[name]}`),
    "",
    signed.join(";"),
    payload,
  ].join("\n");
  const scope = `${day}/us-east-1/s3/aws4_request`;
  const signingKey = scope.split("/").reduce<Buffer>(hmac, Buffer.from(`AWS4${KEY.secretAccessKey}`));
  const seed = hmac(signingKey, ["AWS4-HMAC-SHA256", date, scope, sha256(canonical)].join("\n")).toString(
    "hex",
  );
  const authorization =
    `AWS4-HMAC-SHA256 Credential=${KEY.accessKeyId}/${scope}, ` +
    `SignedHeaders=${signed.join(";")}, Signature=${seed}`;
  const lines = Object.entries({ ...headers, authorization, connection: "close" }).map(
    ([n, v]) => `${n}: ${v}`,
  );
  return {
    head: `PUT /traces/${key} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`,
    seed,
    key: signingKey,
    date,
    scope,
  };
}

/** A body in the chunked transfer encoding. */
function inOneChunk(body: string): string {
  return `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
}

/** What the server answers to raw bytes. */
function exchange(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(server.port, "127.0.0.1", () => socket.write(bytes));
    let answer = "";
    socket.on("data", (data) => {
      answer += data.toString();
    });
    socket.on("close", () => resolve(answer));
    socket.on("error", reject);
  });
}
