import type { IngestItem } from "../ingest.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { readAttributes } from "./attributes.ts";
import { runOfSpan, type SpanSource } from "./run.ts";

/** Converts the spans of an OTLP request to posts; rejected ones leave the others (partial success). `requireSize` is called with the number of spans so far. */
export function batchOfSpans(
  resourceSpans: readonly unknown[],
  project: string | undefined,
  requireSize: (spans: number) => void,
) {
  const posts: IngestItem[] = [];
  const rejected: string[] = [];
  for (const { span, source, where } of spansIn(resourceSpans, project)) {
    requireSize(posts.length + rejected.length + 1);
    const result = isJsonObject(span) ? runOfSpan(span, source) : { problem: "a span is not a JSON object" };
    if ("run" in result) posts.push({ value: result.run, where });
    else rejected.push(result.problem);
  }
  return { posts, rejected };
}

function* spansIn(resourceSpans: readonly unknown[], project: string | undefined) {
  for (const [at, group] of resourceSpans.entries()) {
    const { resource, scopeSpans } = objectOf(group);
    const attributes = readAttributes(objectOf(resource).attributes);
    for (const [within, inner] of listOf(scopeSpans).entries()) {
      const { scope, spans } = objectOf(inner);
      const { name } = objectOf(scope);
      const source: SpanSource = {
        resource: attributes,
        scope: typeof name === "string" ? name : undefined,
        project,
      };
      for (const [index, span] of listOf(spans).entries())
        yield { span, source, where: `resourceSpans[${at}].scopeSpans[${within}].spans[${index}]` };
    }
  }
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
