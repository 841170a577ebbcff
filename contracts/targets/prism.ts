import type { HttpMethod } from "@stoplight/types";
import type { WireReply, WireRequest } from "../engine/http-message.ts";
import { jsonOrText } from "../engine/json.ts";
import { type Diagnostic, firstOf, judgeReply, nonStrict } from "../engine/oracle/judgements.ts";
import type { Judgement, Oracle } from "../engine/oracle/oracle.ts";
import { leaks } from "../engine/oracle/secrets.ts";
import type { Profile } from "../engine/profile.ts";
import { openApiDocument } from "../openapi/openapi.ts";
import type { Operation } from "../spec/operation.ts";
import { OPERATIONS, type OperationId } from "../spec/operations.ts";
import { createRouter, segmentsBeforeSlash } from "../spec/path.ts";

/** The oracle: Prism validates exchanges by the derived document. Loaded on demand, since it takes most of a second. */
export async function openOracle(profile: Profile = "spec"): Promise<Oracle> {
  const [{ getHttpOperationsFromSpec }, { validateInput, validateOutput }] = await Promise.all([
    import("@stoplight/prism-http/dist/utils/operations.js"),
    import("@stoplight/prism-http/dist/validator/index.js"),
  ]);
  const operations = (await getHttpOperationsFromSpec(openApiDocument())).map((resource) => ({
    methods: [resource.method.toUpperCase()],
    path: resource.path,
    row: resource,
  }));

  const router = createRouter(() => operations);

  function operationFor(method: string, path: string) {
    const found = router.find(method, segmentsBeforeSlash(path));
    return found && "row" in found ? found.row : undefined;
  }

  async function judge(
    request: WireRequest,
    reply: WireReply,
    secrets: ReadonlySet<string>,
  ): Promise<readonly Judgement[]> {
    const [path = "", query = ""] = request.path.split("?");
    const resource = operationFor(request.method, path);
    if (!resource || reply.status === 501) return leaks(request, reply, secrets);
    const row = rowOf(resource.extensions, request.body);
    const isGood = reply.status === row.reply.status;
    const body = bodyOf(reply.text);
    const headers = {
      ...reply.headers,
      "content-type": (reply.headers["content-type"] ?? "").split(";")[0] ?? "",
    };
    const isStream = isGood && row.reply.media !== undefined;
    const element = { statusCode: reply.status, headers, body };
    const complaints = isStream ? [] : diagnosticsOf(validateOutput({ resource, element }));
    return [
      ...judgeReply(row, reply, body, complaints, profile),
      ...(isGood ? requestComplaints(path, query, request, row) : []),
      ...leaks(request, reply, secrets),
    ];

    /** Findings about a request that was accepted although it violates the document; the caller's mistake. */
    function requestComplaints(url: string, search: string, sent: WireRequest, of: Operation): Judgement[] {
      if (!resource) return [];
      const element = {
        method: resource.method as HttpMethod,
        url: { path: url, query: queryOf(search) },
        headers: { ...sent.headers, ...(sent.body && { "content-length": String(sent.body.length) }) },
        ...(sent.body !== undefined && { body: bodyOf(sent.body) }),
      };
      return diagnosticsOf(validateInput({ resource, element })).map(({ message }) => ({
        ...nonStrict(firstOf(of), `the request is not as the document has it: ${message}`),
        blame: "caller",
      }));
    }
  }

  return { judge };
}

function rowOf(extensions: unknown, body: string | undefined): Operation {
  const { "x-emulator": parsed } = extensions as {
    readonly "x-emulator": {
      readonly operation: OperationId;
      readonly or?: { readonly operation: OperationId };
    };
  };
  const first: Operation = OPERATIONS[parsed.operation];
  if (!parsed.or) return first;
  const second: Operation = OPERATIONS[parsed.or.operation];
  const [special, usual] = first.when ? [first, second] : [second, first];
  return isMeant(special, body) ? special : usual;
}

function isMeant({ when }: Operation, body = ""): boolean {
  const value = bodyOf(body);
  if (when?.body === "array") return Array.isArray(value);
  return typeof value === "object" && value !== null && when?.body === "object" && when.member in value;
}

function bodyOf(text: string): unknown {
  return text === "" ? undefined : jsonOrText(text);
}

function queryOf(search: string): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = {};
  for (const [name, value] of new URLSearchParams(search)) {
    const before = query[name];
    query[name] = before === undefined ? value : [before, value].flat();
  }
  return query;
}

type Outcome = { readonly _tag: "Left"; readonly left: readonly Diagnostic[] } | { readonly _tag: "Right" };

function diagnosticsOf(outcome: Outcome): readonly Diagnostic[] {
  return outcome._tag === "Left" ? outcome.left : [];
}
