import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** What a very small server answers to a request; it knows nothing of the specification. */
export type Answer = (request: {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}) => {
  readonly status: number;
  readonly body: unknown;
  readonly type?: string;
};

export async function tinyServer(answer: Answer) {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const path = request.url ?? "";
    asked.push(`${request.method} ${path}`);
    const said = answer({
      method: request.method ?? "",
      path,
      body: text === "" ? undefined : JSON.parse(text),
    });
    response.writeHead(said.status, { "content-type": said.type ?? "application/json" });
    response.end(JSON.stringify(said.body));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () => new Promise((done) => server.close(done)),
  };
}
