import type { HttpMethod } from "@stoplight/types";
import type { Diagnostic } from "../engine/oracle/check-reply.ts";
import { openApiDocument } from "../openapi/openapi.ts";
import { createOracle, type Endpoint, mediaOf, oncePerProfile, type Validator } from "./oracle.ts";

/**
 * An oracle that shares no code with the emulator: Prism validates exchanges against the derived OpenAPI document. Its package
 * is an optional peer dependency and takes a third of a second to load. An endpoint is prepared with its first exchange.
 */
export const openPrismOracle = oncePerProfile(async (profile) => {
  const [{ getHttpOperationsFromSpec }, { validateInput, validateOutput }] = await Promise.all([
    import("@stoplight/prism-http/dist/utils/operations.js"),
    import("@stoplight/prism-http/dist/validator/index.js"),
  ]);
  const documentOf = documents();
  const validators = new Map<Endpoint, Promise<Validator>>();

  async function prepare(endpoint: Endpoint): Promise<Validator> {
    const [resource] = await getHttpOperationsFromSpec(documentOf(endpoint));
    if (!resource)
      throw new Error(`The OpenAPI document has no operation ${endpoint.method} ${endpoint.path}.`);
    return {
      reply: ({ status, headers: { "content-type": _, ...rest }, media, body }) => {
        const headers = { ...rest, ...(media !== undefined && { "content-type": media }) };
        return diagnosticsOf(validateOutput({ resource, element: { statusCode: status, headers, body } }));
      },
      request: ({ path, query, headers: all, text, body }) => {
        const { "content-type": type, ...rest } = all;
        const headers = {
          ...rest,
          // Prism throws for an invalid media type. A body of unknown type is read as bytes.
          ...(type !== undefined && {
            "content-type": mediaOf(all) === undefined ? "application/octet-stream" : type,
          }),
          ...(text && { "content-length": String(text.length) }),
        };
        const method = resource.method as HttpMethod;
        const element = { method, url: { path, query }, headers, ...(text !== undefined && { body }) };
        return diagnosticsOf(validateInput({ resource, element }));
      },
    };
  }

  return createOracle((endpoint) => {
    const validator = validators.get(endpoint) ?? prepare(endpoint);
    validators.set(endpoint, validator);
    return validator;
  }, profile);
});

type Paths = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The derived document, reduced to one endpoint: Prism reads everything in the document that it receives. */
function documents(): (endpoint: Endpoint) => object {
  const { "x-emulator": _, paths, ...document } = openApiDocument({ inPlace: true });
  return ({ method, path }) => {
    const name = method.toLowerCase();
    return { ...document, paths: { [path]: { [name]: (paths as Paths)[path]?.[name] } } };
  };
}

type Outcome = { readonly _tag: "Left"; readonly left: readonly Diagnostic[] } | { readonly _tag: "Right" };

function diagnosticsOf(outcome: Outcome): readonly Diagnostic[] {
  return outcome._tag === "Left" ? outcome.left : [];
}
