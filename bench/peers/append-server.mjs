// Parses bodies of JSON and appends them to a file; checks nothing and finds nothing again.
import { open } from "node:fs/promises";
import { createServer } from "node:http";

const file = await open(process.argv[2], "a");
const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", async () => {
    const body = Buffer.concat(chunks);
    const { post } = JSON.parse(body.toString());
    await file.appendFile(body);
    response.writeHead(202, { "content-type": "application/json" });
    response.end(JSON.stringify({ rows: post.length }));
  });
});
server.listen(0, "127.0.0.1", () =>
  console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })),
);
