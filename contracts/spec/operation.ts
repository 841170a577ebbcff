import type { AssumptionValue } from "./assumption.ts";
import type { Field, OptionalField } from "./fields.ts";
import type { RequirementId } from "./requirements.ts";

export type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";

export type Parameters = Readonly<Record<string, Field<unknown> | OptionalField<unknown>>>;

/** What a body must look like for a row to be meant. */
export type BodyShape = { readonly body: "object"; readonly member: string } | { readonly body: "array" };

/** The media types of a body. A body may also be compressed. */
export type BodyMedia = "application/json" | "multipart/form-data" | "application/x-protobuf";

/** What a success does to what the world keeps; `removes` stands for deletions and for making an end of something. */
export type Access = "reads" | "adds" | "removes";

/** What replaces an operation that the service removes. */
export interface Legacy {
  /** Method and path. */
  readonly replacement: string;
  /** The methods of public clients. */
  readonly clients: string;
}

/** The assumption about what the public service documents since 2026, with the value that accepts it. */
export const NEWER_FEATURES = { assumption: "platform.newer_features", is: "accepted" } as const;

/** One row of the operations table: everything that is known about a request and its reply. */
export interface Operation {
  readonly section: string;
  /** Rows of the requirement ledger. */
  readonly requirements: readonly RequirementId[];
  readonly server: "platform" | "agent" | "system";
  readonly summary: string;
  readonly method: Method;
  readonly path: string;
  /** Other templates that lead to the same operation. */
  readonly alsoAt?: readonly string[];
  readonly pathParameters?: Readonly<Record<string, Field<unknown>>>;
  /** Query parameters; those that may be left out are wrapped in `optional`. */
  readonly query?: Parameters;
  /** What the request may have once an assumption is set to something else. */
  readonly variant?: {
    readonly assumption: string;
    readonly is: AssumptionValue;
    /** Replace parameters. */
    readonly query?: Parameters;
    /** Replaces the body. */
    readonly body?: Field<unknown>;
  };
  readonly body?: Field<unknown>;
  /** What the body may be sent as; JSON alone when absent. */
  readonly bodyMedia?: readonly BodyMedia[];
  /** Asked before the row without it that shares its method and path: the body decides which one is meant. */
  readonly when?: BodyShape;
  /** Absent means that a body that exists is required. */
  readonly bodyRequired?: boolean;
  readonly reply: {
    readonly status: number;
    /** The assumption that decides the status. */
    readonly statusFrom?: string;
    readonly body?: Field<unknown>;
    /** What the body is sent as; JSON when absent. */
    readonly media?: "text/event-stream";
    /** What a parameter turns the reply into. */
    readonly or?: { readonly status: number; readonly body: Field<unknown> };
  };
  /** Absent: GET reads, DELETE removes, the other methods add. What adds is refused while the disk is full (413). */
  readonly access?: Access;
  /** Members of the items of the body's lists that the handler only keeps: they may reach it as JSON text. */
  readonly keptMembers?: readonly string[];
  /** False if recordings omit the request, because it does not show what a client does. */
  readonly recorded?: false;
  /** Answers as a run goes or when it has ended; how many such requests there may be is bounded. */
  readonly waits?: true;
  /** Errors as OTLP/HTTP has them: google.rpc.Status in the form of the request, and 400 for what cannot be read. */
  readonly errors?: "otlp";
  /** Statuses with which the operation may refuse a request. */
  readonly refusals: readonly number[];
  /** Those of them that the specification shows, so that no assumption changes them. */
  readonly shownRefusals?: readonly number[];
  /**
   * `required`: X-Tenant-Id must be sent (§5-1); `key`: without it the key's workspace is meant (5-6), and a
   * user may send no key; `optional`: without a key the default workspace is meant (5-5); `none`: neither plays a part.
   */
  readonly workspace: "required" | "key" | "optional" | "none";
  /** Present if public clients announce that the service removes the operation (setting `legacy_end`). */
  readonly legacy?: Legacy;
  /** False when the operation goes beyond what the specification shows. */
  readonly shown: boolean;
}

const variants = new WeakMap<Operation, Operation>();

/** The operation with what the effective assumptions change of it. */
export function operationUnder(
  operation: Operation,
  assumptions: Readonly<Record<string, unknown>>,
): Operation {
  const { variant, query, body } = operation;
  if (!variant || assumptions[variant.assumption] !== variant.is) return operation;
  const earlier = variants.get(operation);
  if (earlier) return earlier;
  const { variant: _, ...row } = operation;
  const effective: Operation = {
    ...row,
    ...(variant.query && { query: { ...query, ...variant.query } }),
    ...(body && { body: variant.body ?? body }),
  };
  variants.set(operation, effective);
  return effective;
}

/** The access of a row by its column, or by its method. */
export function accessOf({ method, access }: Pick<Operation, "method" | "access">): Access {
  if (access) return access;
  if (method === "GET") return "reads";
  return method === "DELETE" ? "removes" : "adds";
}
