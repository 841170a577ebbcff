// Parses multipart bodies and the JSON of every part; stores nothing.
import { createServer } from "node:http";
import busboy from "busboy";

const server = createServer((request, response) => {
  const parser = busboy({ headers: request.headers, limits: { fieldSize: Number.POSITIVE_INFINITY } });
  let parts = 0;
  parser.on("field", (_name, value) => {
    JSON.parse(value);
    parts += 1;
  });
  parser.on("close", () => {
    response.writeHead(202, { "content-type": "application/json" });
    response.end(JSON.stringify({ parts }));
  });
  request.pipe(parser);
});
server.listen(0, "127.0.0.1", () =>
  console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })),
);
