import type { Field } from "../../../contracts/spec/fields.ts";
import type { FaultOrder } from "../../client/faults.ts";
import type { Status } from "../../client/views.ts";
import type { CONTROL_OPERATIONS } from "../../control/gateway.ts";
import type { JournalEntry } from "../../kernel/journal.ts";
import type { Lines } from "../../subjects/control-operation.ts";

/**
 * Calls a test-only operation by its path below `/_emulator/v1`: method and path decide what body it takes and what it
 * answers. Rejects with an `ErrorReply` when it is refused: its message has the reason and the next step.
 *
 * With a type argument nothing is checked, which is for paths that are put together elsewhere:
 * `control<Reply>(method, path, body)`.
 *
 * @example
 * const { now, next } = await emulator.control("GET", "/clock");
 * await emulator.control("POST", "/clock/advance", { by: "PT6H" });
 * const { status } = await emulator.control("GET", `/webhooks/deliveries/${id}`);
 */
export interface Control {
  <Reply = never, const Verb extends string = string, const Path extends string = string>(
    method: Verb,
    path: [Reply] extends [never] ? CallProblem<Verb, Path> : Path,
    body?: unknown,
  ): Promise<NoInfer<Reply>>;
  <const Verb extends Row["method"], const Path extends string>(
    method: Verb,
    path: PathOrProblem<Verb, Path>,
    ...body: BodyOf<RowOf<Verb, Path>>
  ): Promise<ReplyOf<RowOf<Verb, Path>>>;
}

/** The inbox is not below `/v1`. */
type Row = Exclude<(typeof CONTROL_OPERATIONS)[number], { readonly path: "/inbox/{name}" }>;

/** What rows do not say of their replies. */
interface DeclaredReplies {
  readonly "GET /status": Status;
  readonly "GET /journal": readonly JournalEntry[];
}

type RowOf<Verb extends string, Path extends string, Each = Row> = Each extends {
  readonly method: Verb;
  readonly path: infer Template extends string;
}
  ? Fits<WithoutQuery<Path>, Template> extends true
    ? Each
    : never
  : never;

type WithoutQuery<Path extends string> = Path extends `${infer Before}?${string}` ? Before : Path;

/** Segment by segment; those in braces are parameters. */
type Fits<Path, Template> = Template extends `${infer Expected}/${infer WantedRest}`
  ? Path extends `${infer Actual}/${infer GivenRest}`
    ? FitsSegment<Actual, Expected> extends true
      ? Fits<GivenRest, WantedRest>
      : false
    : false
  : Path extends `${string}/${string}`
    ? false
    : FitsSegment<Path, Template>;

type FitsSegment<Actual, Expected> = Expected extends `{${string}}`
  ? true
  : Actual extends Expected
    ? true
    : false;

/** The path, or text that says what is wrong with it, for the compiler to show. */
type PathOrProblem<Verb extends string, Path extends string> = string extends Path
  ? "a path that is not a literal needs the type of its reply: control<Reply>(method, path, body)"
  : [RowOf<Verb, Path>] extends [never]
    ? `unknown control operation ${Verb} ${Path}; see docs/look-up/control-api.md`
    : [UnknownIn<Path, RowOf<Verb, Path>>] extends [never]
      ? Path
      : `${Verb} ${WithoutQuery<Path>} has no parameter ${UnknownIn<Path, RowOf<Verb, Path>>}`;

/** Text that the compiler shows where no reply is named and the number of arguments is wrong. */
export type CallProblem<Verb extends string, Path extends string> =
  PathOrProblem<Verb, Path> extends Path
    ? BodyOf<RowOf<Verb, Path>> extends readonly [body: infer Body]
      ? `${Verb} ${WithoutQuery<Path>} takes a body with ${RequiredOf<Body>}: control(method, path, body)`
      : `${Verb} ${WithoutQuery<Path>} takes no such body`
    : PathOrProblem<Verb, Path>;

/** The names of the members that have to be given. */
type RequiredOf<Body> = {
  [Name in keyof Body]-?: object extends Pick<Body, Name> ? never : Name;
}[keyof Body] &
  string;

type UnknownIn<Path, Each> = Path extends `${string}?${infer Query}`
  ? Exclude<NamesIn<Query>, keyof ParametersOf<Each> | "as_of">
  : never;

/** The names in a query, as far as they are literal. */
type NamesIn<Query extends string> = Query extends `${infer One}&${infer Rest}`
  ? NamesIn<One> | NamesIn<Rest>
  : Query extends `${infer Name}=${string}`
    ? string extends Name
      ? never
      : Name
    : never;

type ParametersOf<Each> = Each extends { readonly query?: infer Query } ? NonNullable<Query> : never;

type NameOf<Each> = Each extends {
  readonly method: infer Verb extends string;
  readonly path: infer Path extends string;
}
  ? `${Verb} ${Path}`
  : never;

type BodyOf<Each> = [Each] extends [never]
  ? [body?: unknown]
  : NameOf<Each> extends "POST /faults"
    ? [body: FaultOrder]
    : Each extends { readonly body?: Field<infer Body> }
      ? [Body] extends [undefined]
        ? [body?: Readonly<Record<string, "this operation takes no body">>]
        : object extends Body
          ? [body?: Body]
          : [body: Body]
      : [];

type ReplyOf<Each> =
  NameOf<Each> extends infer Name extends keyof DeclaredReplies ? DeclaredReplies[Name] : Answer<Each>;

/** Lines of JSON are a list of their values; of a file the client gives the text. */
type Answer<Each> = Each extends { run(...args: never): infer Returned }
  ? Awaited<Returned> extends Lines
    ? readonly unknown[]
    : Awaited<Returned> extends { readonly attachment: unknown }
      ? string
      : Awaited<Returned>
  : never;
