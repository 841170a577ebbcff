// Keeps bodies as files with the hash that S3 answers, and sends them: little more than what each server of objects on
// node:http has to do. It checks no signatures, keeps no types and lists nothing.
import { createHash } from "node:crypto";
import { createReadStream, mkdirSync } from "node:fs";
import { open, rename, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

const folder = process.argv[2];
mkdirSync(folder, { recursive: true });
const fileOf = ({ url }) => join(folder, encodeURIComponent(url));
let received = 0;

async function keep(request, response) {
  const unfinished = join(folder, `.${received++}`);
  const file = await open(unfinished, "w");
  const md5 = createHash("md5");
  for await (const chunk of request) {
    md5.update(chunk);
    await file.writeFile(chunk);
  }
  await file.close();
  await rename(unfinished, fileOf(request));
  response.writeHead(200, { etag: `"${md5.digest("hex")}"` }).end();
}

async function give(request, response) {
  const file = fileOf(request);
  response.writeHead(200, { "content-length": (await stat(file)).size });
  await pipeline(createReadStream(file), response);
}

const server = createServer((request, response) => {
  const act = request.method === "PUT" ? keep : give;
  act(request, response).catch(() => response.destroy());
});
server.listen(0, "127.0.0.1", () =>
  console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })),
);
