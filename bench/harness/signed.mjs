import { createHash, createHmac } from "node:crypto";

const REGION = "us-east-1";
const ALGORITHM = "AWS4-HMAC-SHA256";
const UNSIGNED = "UNSIGNED-PAYLOAD";

const hmac = (key, text) => createHmac("sha256", key).update(text).digest();

/** Requests to an object store with the headers of their signatures, for the load client. Paths and queries contain no character to encode. */
export function signed(origin, { accessKeyId, secretAccessKey }, requests) {
  const { host } = new URL(origin);
  const date = `${new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`;
  const scope = `${date.slice(0, 8)}/${REGION}/s3/aws4_request`;
  const key = scope.split("/").reduce(hmac, `AWS4${secretAccessKey}`);
  return requests.map(({ method, path, query = {}, bytes = 0 }) => {
    const search = new URLSearchParams(Object.entries(query).toSorted()).toString();
    const headers = { host, "x-amz-content-sha256": UNSIGNED, "x-amz-date": date };
    const names = Object.keys(headers).join(";");
    const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
    const canonical = [method, path, search, lines.join(""), names, UNSIGNED].join("\n");
    const digest = createHash("sha256").update(canonical).digest("hex");
    const signature = hmac(key, [ALGORITHM, date, scope, digest].join("\n")).toString("hex");
    const authorization = `${ALGORITHM} Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
    const length = method === "GET" ? {} : { "content-length": String(bytes) };
    const all = { ...headers, ...length, authorization };
    return { method, path: search === "" ? path : `${path}?${search}`, headers: all, bytes };
  });
}
