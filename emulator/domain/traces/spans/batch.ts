import { isJsonObject } from "../json.ts";
import type { Came } from "../ingest.ts";
import { readAttributes } from "./attributes.ts";
import { runOfSpan } from "./run.ts";

export interface SpanBatch {
  readonly posts: readonly Came[];
  /** Spans that no row can be made of; the others are taken in all the same, as OTLP asks. */
  readonly rejected: readonly string[];
}

/** The trace rows of an OTLP request. */
export function batchOfSpans(resourceSpans: readonly unknown[], project: string | undefined): SpanBatch {
  const posts: Came[] = [];
  const rejected: string[] = [];
  resourceSpans.forEach((group, at) => {
    const { resource, scopeSpans } = isJsonObject(group) ? group : {};
    const attributes = readAttributes(isJsonObject(resource) ? resource.attributes : undefined);
    listOf(scopeSpans).forEach((inner, within) => {
      const { scope, spans } = isJsonObject(inner) ? inner : {};
      const name = isJsonObject(scope) && typeof scope.name === "string" ? scope.name : undefined;
      listOf(spans).forEach((span, index) => {
        const source = { resource: attributes, scope: name, project };
        const result = isJsonObject(span) ? runOfSpan(span, source) : { problem: "a span is no object" };
        if ("problem" in result) return rejected.push(result.problem);
        return posts.push({
          value: result.run,
          where: `resourceSpans[${at}].scopeSpans[${within}].spans[${index}]`,
        });
      });
    });
  });
  return { posts, rejected };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
