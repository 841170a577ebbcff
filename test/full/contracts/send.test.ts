import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { openObjectStore } from "../../../contracts/targets/object-store.ts";
import { createSender } from "../../../contracts/targets/send.ts";

const REQUEST = { region: "us", method: "GET", path: "/threads", headers: {} } as const;

afterEach(() => {
  vi.useRealTimers();
});

/** The address of a server that answers as it likes. */
async function addressOf(answer: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((_, response) => answer(response.writeHead(200)));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function sending(answer: (response: ServerResponse) => void) {
  const sender = createSender({ us: await addressOf(answer) });
  onTestFinished(() => sender.close());
  return () => sender.send(REQUEST);
}

it("gives up a bucket whose list does not end", async () => {
  const key = { region: "us-east-1", accessKeyId: "key", secretAccessKey: "secret" };
  const page = "<IsTruncated>true</IsTruncated><NextContinuationToken>next</NextContinuationToken>";
  const url = await addressOf((response) => response.end(`<ListBucketResult>${page}</ListBucketResult>`));
  const store = openObjectStore(url, key);
  onTestFinished(() => store.close());
  await expect(store.list("bucket")).rejects.toThrow("a bucket with fewer objects (--s3)");
});

it("gives up a reply that is larger than any of the API", async () => {
  const part = Buffer.alloc(1_048_576, "x");
  const send = await sending((response) => {
    const write = () => {
      while (!response.destroyed) if (!response.write(part)) return void response.once("drain", write);
    };
    write();
  });
  await expect(send()).rejects.toThrow(/GET http.*\/threads: the reply has more than \d+ bytes/);
});

it("gives up a reply that does not end", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  let begin = () => {};
  const isBegun = new Promise<void>((done) => {
    begin = done;
  });
  const send = await sending((response) => {
    response.write("data: 1\n");
    begin();
  });
  const reply = send();
  await isBegun;
  vi.advanceTimersByTime(300_000);
  await expect(reply).rejects.toThrow("within 300 s");
});
