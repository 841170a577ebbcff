/**
 * The one matcher of path templates. In a template `{name}` stands for one segment and `**` for any number of
 * segments, none included; neither stands for an empty segment.
 */

/** A row with the path template, and the methods, that lead to it. */
export interface Route<Row> {
  /** Absent means every method. */
  readonly methods?: readonly string[];
  /** For example `/api/v1/bulk-exports/{export_id}`. */
  readonly path: string;
  readonly row: Row;
}

/** Finds rows by method and path. */
export interface Router<Row> {
  /** The row of the most specific template that fits: at each segment a literal wins over `{name}`, that over `**`. */
  find(method: string, segments: readonly string[]): Found<Row>;
  /** Every row that fits, each once, in the order in which the routes were given. */
  all(method: string, segments: readonly string[]): readonly Row[];
}

/** A row with the decoded parameters of its path; undefined when no template fits the path. */
export type Found<Row> =
  | { readonly row: Row; readonly parameters: Readonly<Record<string, string>> }
  /** The path exists, with other methods. */
  | { readonly allow: readonly string[] }
  | undefined;

interface Leaf<Row> {
  readonly row: Row;
  readonly names: readonly string[];
  readonly place: number;
}

interface Node<Row> {
  readonly literals: Map<string, Node<Row>>;
  parameter?: Node<Row>;
  /** What follows a `**`. */
  rest?: Node<Row>;
  readonly leaves: Map<string, Leaf<Row>[]>;
}

const EVERY_METHOD = "*";

/** The segments of a path, not decoded. A slash at the end gives an empty one, which matches no template. */
export function segmentsOf(path: string): readonly string[] {
  return path.slice(1).split("/");
}

/** The same for callers to whom a slash at the end makes no difference. */
export function segmentsBeforeSlash(path: string): readonly string[] {
  return segmentsOf(path.endsWith("/") ? path.slice(0, -1) : path);
}

/**
 * Of several routes with the same method and template, `find` takes the first one. They are asked for with the first
 * path: most processes need few of the tables that they load.
 */
export function createRouter<Row>(routes: () => readonly Route<Row>[]): Router<Row> {
  let root: Node<Row> | undefined;
  return {
    find(method, segments) {
      const walk: Walk<Row> = { segments, values: [], nodes: [], most: 1 };
      root ??= treeOf(routes());
      visit(walk, root, 0);
      const [node] = walk.nodes;
      return node && foundAt(node, method, walk.values);
    },
    all(method, segments) {
      const walk: Walk<Row> = { segments, values: [], nodes: [], most: Number.POSITIVE_INFINITY };
      root ??= treeOf(routes());
      visit(walk, root, 0);
      const leaves = walk.nodes.flatMap((node) => leavesAt(node, method));
      return [...new Set(leaves.sort((a, b) => a.place - b.place).map(({ row }) => row))];
    },
  };
}

function treeOf<Row>(routes: readonly Route<Row>[]): Node<Row> {
  const root = emptyNode<Row>();
  for (const [place, route] of routes.entries()) addRoute(root, route, place);
  return root;
}

function foundAt<Row>(node: Node<Row>, method: string, values: readonly string[]): Found<Row> {
  const leaf = leavesAt(node, method)[0];
  if (!leaf) return { allow: [...node.leaves.keys()] };
  const parameters: Record<string, string> = {};
  for (const [index, name] of leaf.names.entries()) parameters[name] = decoded(values[index] ?? "");
  return { row: leaf.row, parameters };
}

function addRoute<Row>(root: Node<Row>, { methods, path, row }: Route<Row>, place: number): void {
  const segments = segmentsOf(path);
  let node = root;
  for (const segment of segments) node = childFor(node, segment);
  const names = segments.filter(isParameter).map((segment) => segment.slice(1, -1));
  for (const method of methods ?? [EVERY_METHOD]) {
    const leaves = node.leaves.get(method) ?? [];
    leaves.push({ row, names, place });
    node.leaves.set(method, leaves);
  }
}

function emptyNode<Row>(): Node<Row> {
  return { literals: new Map(), leaves: new Map() };
}

function isParameter(segment: string): boolean {
  return segment.startsWith("{");
}

function childFor<Row>(node: Node<Row>, segment: string): Node<Row> {
  if (segment === "**") {
    node.rest ??= emptyNode();
    return node.rest;
  }
  if (isParameter(segment)) {
    node.parameter ??= emptyNode();
    return node.parameter;
  }
  const child = node.literals.get(segment) ?? emptyNode<Row>();
  node.literals.set(segment, child);
  return child;
}

const NO_LEAVES: readonly never[] = [];

function leavesAt<Row>({ leaves }: Node<Row>, method: string): readonly Leaf<Row>[] {
  const ofMethod = leaves.get(method);
  const ofEvery = leaves.get(EVERY_METHOD);
  if (!ofMethod || !ofEvery) return ofMethod ?? ofEvery ?? NO_LEAVES;
  return [...ofMethod, ...ofEvery];
}

/** What a walk down a path has with it. */
interface Walk<Row> {
  readonly segments: readonly string[];
  /** What the parameters stood for on the way to here, still encoded. */
  readonly values: string[];
  /** Those that fit, the most specific first. */
  readonly nodes: Node<Row>[];
  /** So many are enough. */
  readonly most: number;
}

/** Visits what is below a node, from this segment on; true once enough was found. */
function visit<Row>(walk: Walk<Row>, node: Node<Row>, at: number): boolean {
  const segment = walk.segments[at];
  if (segment === undefined && node.leaves.size > 0 && walk.nodes.push(node) >= walk.most) return true;
  const literal = segment === undefined ? undefined : node.literals.get(segment);
  if (literal && visit(walk, literal, at + 1)) return true;
  if (segment && node.parameter) {
    walk.values.push(segment);
    if (visit(walk, node.parameter, at + 1)) return true;
    walk.values.pop();
  }
  return node.rest !== undefined && visitRest(walk, node.rest, at);
}

function visitRest<Row>(walk: Walk<Row>, rest: Node<Row>, from: number): boolean {
  for (let at = from; at <= walk.segments.length; at += 1) {
    if (visit(walk, rest, at)) return true;
    if (walk.segments[at] === "") return false;
  }
  return false;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
