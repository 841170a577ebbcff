// A minimal HTTP server, the baseline of the start benchmark.
import { createServer } from "node:http";

const server = createServer((_request, response) => response.end("ok"));
server.listen(0, "127.0.0.1", () => console.log("ready"));
