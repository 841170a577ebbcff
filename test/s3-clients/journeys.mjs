// What users of each client do: copy, sync, check, a large file in parts both ways and between keys, a presigned
// address, delete. Each step is a name and a function; `run` starts the client and answers with what it printed.

import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { assertSameFile, assertSameFolder } from "./folder.mjs";

/** Steps that all clients have, from what each of them calls a step. */
function journey({ folder, tree, large, client, didInParts }) {
  const back = (name) => join(folder, `${client.name}-${name}`);
  const added = join(tree, "sub", "added.txt");
  return [
    ["makes a bucket", () => client.makeBucket()],
    [
      "copies a folder there and back",
      () => {
        client.upload(tree, "tree");
        client.download("tree", back("tree"));
        assertSameFolder(tree, back("tree"));
      },
    ],
    [
      "sync has nothing to do when nothing has changed",
      () => assert.deepEqual(client.sync(tree, "tree"), []),
    ],
    [
      "sync carries a new file over, and its deletion",
      () => {
        writeFileSync(added, "added");
        assert.deepEqual(
          client.sync(tree, "tree").map((line) => line.includes("added.txt")),
          [true],
        );
        assert.ok(client.list("tree").includes("added.txt"));
        rmSync(added);
        client.sync(tree, "tree");
        assert.ok(!client.list("tree").includes("added.txt"));
      },
    ],
    [
      "uploads 200 MB in parts",
      async () => {
        client.uploadFile(large, "large.bin");
        await didInParts("UploadPart", "large.bin");
      },
    ],
    [
      "copies 200 MB between keys in parts",
      async () => {
        client.copy("large.bin", "copy.bin");
        await didInParts("UploadPartCopy", "copy.bin");
      },
    ],
    [
      "downloads 200 MB",
      () => {
        client.downloadFile("copy.bin", back("large"));
        assertSameFile(large, back("large"));
        rmSync(back("large"));
      },
    ],
    ...client.more({ tree }),
    [
      "deletes everything and the bucket",
      () => {
        client.removeBucket();
        assert.ok(!client.buckets().includes(client.name));
      },
    ],
  ];
}

/** Status and text; without keep-alive, since a client that runs leaves no time to see a connection close. */
export async function read(address) {
  const reply = await fetch(address.trim(), { headers: { connection: "close" } });
  return [reply.status, await reply.text()];
}

function lines(text) {
  return text.split("\n").filter((line) => line.trim() !== "");
}

function aws({ run, bucket }) {
  const s3 = (...words) => run("s3", ...words, "--no-progress");
  return {
    makeBucket: () => run("s3", "mb", bucket),
    upload: (path, key) => s3("cp", "--recursive", path, `${bucket}/${key}`),
    download: (key, path) => s3("cp", "--recursive", `${bucket}/${key}`, path),
    sync: (path, key) => lines(s3("sync", "--delete", path, `${bucket}/${key}`)),
    list: (key) => run("s3", "ls", "--recursive", `${bucket}/${key}`),
    uploadFile: (path, key) => s3("cp", path, `${bucket}/${key}`),
    downloadFile: (key, path) => s3("cp", `${bucket}/${key}`, path),
    copy: (from, to) => s3("cp", `${bucket}/${from}`, `${bucket}/${to}`),
    removeBucket: () => run("s3", "rb", "--force", bucket),
    buckets: () => run("s3", "ls"),
    more: () => [
      [
        "reads by a presigned address",
        // In us-east-1 it signs such addresses with version 2, which the emulator refuses.
        async () => {
          const address = run("s3", "presign", `${bucket}/tree/a.txt`, "--region", "eu-central-1");
          assert.deepEqual(await read(address), [200, "one"]);
        },
      ],
    ],
  };
}

function s3cmd({ run, bucket }) {
  return {
    makeBucket: () => run("mb", bucket),
    upload: (path, key) => run("put", "--recursive", `${path}/`, `${bucket}/${key}/`),
    download: (key, path) => run("sync", `${bucket}/${key}/`, `${path}/`),
    sync: (path, key) =>
      lines(run("sync", "--delete-removed", `${path}/`, `${bucket}/${key}/`)).filter((line) =>
        /^(upload|delete)/.test(line),
      ),
    list: (key) => run("ls", "--recursive", `${bucket}/${key}/`),
    uploadFile: (path, key) => run("put", path, `${bucket}/${key}`),
    downloadFile: (key, path) => run("get", `${bucket}/${key}`, path),
    copy: (from, to) => run("cp", `${bucket}/${from}`, `${bucket}/${to}`),
    removeBucket: () => run("rb", "--force", "--recursive", bucket),
    buckets: () => run("ls"),
    more: () => [
      [
        "shows what a bucket and an object have",
        () => {
          assert.match(run("info", bucket), /Location:\s+us-east-1/);
          assert.match(run("info", `${bucket}/tree/a.txt`), /File size:\s+3\n/);
        },
      ],
      [
        "receives a hint about its presigned addresses, which use signature version 2",
        async () => {
          const [status, text] = await read(run("signurl", `${bucket}/tree/a.txt`, "+60"));
          assert.equal(status, 400);
          assert.match(text, /Signature Version 4/);
        },
      ],
    ],
  };
}

function rclone({ run, bucket }) {
  const cut = ["--s3-upload-cutoff", "32M", "--s3-copy-cutoff", "32M", "--s3-chunk-size", "8M"];
  return {
    makeBucket: () => run("mkdir", bucket),
    upload: (path, key) => run("copy", path, `${bucket}/${key}`),
    download: (key, path) => run("copy", `${bucket}/${key}`, path),
    sync: (path, key) =>
      lines(run("sync", "-v", path, `${bucket}/${key}`)).filter((line) => /: (Copied|Deleted)/.test(line)),
    list: (key) => run("lsf", "--recursive", `${bucket}/${key}`),
    uploadFile: (path, key) => run("copyto", ...cut, path, `${bucket}/${key}`),
    downloadFile: (key, path) => run("copyto", `${bucket}/${key}`, path),
    copy: (from, to) => run("copyto", ...cut, `${bucket}/${from}`, `${bucket}/${to}`),
    removeBucket: () => run("purge", bucket),
    buckets: () => run("lsd", "emulator:"),
    more: ({ tree }) => [
      [
        "checks by checksum and byte by byte",
        () => {
          assert.match(run("check", tree, `${bucket}/tree`), /0 differences found/);
          assert.match(run("check", "--download", tree, `${bucket}/tree`), /0 differences found/);
        },
      ],
      [
        "reads by a presigned address",
        async () =>
          assert.deepEqual(await read(run("link", "--expire", "1m", `${bucket}/tree/a.txt`)), [200, "one"]),
      ],
    ],
  };
}

const CLIENTS = { aws, s3cmd, rclone };

/** The steps of a client; `run` takes its words. */
export function journeyOf(name, { run, folder, tree, large, operationsOn }) {
  const bucket = name === "rclone" ? `emulator:${name}` : `s3://${name}-bucket`;
  const client = { name: name === "rclone" ? name : `${name}-bucket`, ...CLIENTS[name]({ run, bucket }) };
  async function didInParts(operation, key) {
    const done = await operationsOn(`${bucket.split(/:\/*/)[1]}/${key}`);
    assert.ok(done.filter((name) => name === operation).length > 1, `${operation} of several parts: ${done}`);
    assert.ok(done.includes("CompleteMultipartUpload"), String(done));
  }
  return journey({ folder, tree, large, client, didInParts });
}
