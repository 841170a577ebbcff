import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Case, CaseRow } from "../../contracts/engine/case.ts";
import { suite } from "../../contracts/index.ts";

/** What a very small server answers to a request; it knows nothing of the specification. */
export type Answer = (request: {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, unknown>>;
}) => {
  readonly status: number;
  readonly body: unknown;
  readonly type?: string;
};

export async function tinyServer(answer: Answer) {
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const path = request.url ?? "";
    requests.push(`${request.method} ${path}`);
    const said = answer({
      method: request.method ?? "",
      path,
      headers: request.headers,
      body: body === "" ? undefined : JSON.parse(body),
    });
    response.writeHead(said.status, { "content-type": said.type ?? "application/json" });
    response.end(JSON.stringify(said.body));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: requests,
    close: () => new Promise<void>((done) => void server.close(() => done())),
  };
}

/** A suite of one case, which asserts one requirement. */
export function oneCase(requirement: CaseRow["requirements"][number], run: CaseRow["run"]): readonly Case[] {
  const section = requirement.slice(0, requirement.lastIndexOf("-"));
  return suite({ [`${section}/case`]: { title: "a case", requirements: [requirement], run } });
}
