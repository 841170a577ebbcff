import { Sha256 } from "@aws-crypto/sha256-js";
import { SignatureV4 } from "@smithy/signature-v4";

/** Requests to an object store with the headers of their signatures, for the load client. */
export function signed(origin, credentials, requests) {
  const signer = new SignatureV4({
    service: "s3",
    region: "us-east-1",
    credentials,
    sha256: Sha256,
    uriEscapePath: false,
  });
  const { hostname, host } = new URL(origin);
  return Promise.all(
    requests.map(async ({ method, path, query = {}, bytes = 0 }) => {
      const length = method === "GET" ? {} : { "content-length": String(bytes) };
      const headers = { host, ...length, "x-amz-content-sha256": "UNSIGNED-PAYLOAD" };
      const { headers: all } = await signer.sign({
        method,
        protocol: "http:",
        hostname,
        path,
        query,
        headers,
      });
      const search = new URLSearchParams(query).toString();
      return { method, path: search === "" ? path : `${path}?${search}`, headers: all, bytes };
    }),
  );
}
