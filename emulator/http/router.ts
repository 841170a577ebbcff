/** Finds the row of a table whose path template fits a path. */
export interface Router<Row> {
  find(method: string, path: string): Found<Row>;
}

/** A row with the decoded parameters of its path; undefined when no template fits the path. */
export type Found<Row> =
  | { readonly row: Row; readonly parameters: Readonly<Record<string, string>> }
  /** The path exists, with other methods. */
  | { readonly allow: readonly string[] }
  | undefined;

/** A row with the method and the path template that lead to it. */
export interface Route<Row> {
  readonly method: string;
  /** For example `/api/v1/bulk-exports/{export_id}`. */
  readonly path: string;
  readonly row: Row;
}

interface Node<Row> {
  readonly literals: Map<string, Node<Row>>;
  parameter?: Node<Row>;
  readonly rows: Map<string, { readonly row: Row; readonly names: readonly string[] }>;
}

/** Routes of one method and template: the last one wins. */
export function createRouter<Row>(routes: readonly Route<Row>[]): Router<Row> {
  const root = emptyNode<Row>();
  for (const { method, path, row } of routes) {
    const segments = path.slice(1).split("/");
    let node = root;
    for (const segment of segments) node = childFor(node, segment);
    const names = segments.filter(isParameter).map((segment) => segment.slice(1, -1));
    node.rows.set(method, { row, names });
  }
  return {
    find(method, path) {
      const values: string[] = [];
      const node = walk(root, path.slice(1).split("/"), 0, values);
      if (!node) return undefined;
      const found = node.rows.get(method);
      if (!found) return { allow: [...node.rows.keys()] };
      const parameters: Record<string, string> = {};
      for (const [index, name] of found.names.entries()) parameters[name] = values[index] ?? "";
      return { row: found.row, parameters };
    },
  };
}

function emptyNode<Row>(): Node<Row> {
  return { literals: new Map(), rows: new Map() };
}

function isParameter(segment: string): boolean {
  return segment.startsWith("{");
}

function childFor<Row>(node: Node<Row>, segment: string): Node<Row> {
  if (isParameter(segment)) {
    node.parameter ??= emptyNode();
    return node.parameter;
  }
  const child = node.literals.get(segment) ?? emptyNode<Row>();
  node.literals.set(segment, child);
  return child;
}

/** A literal segment wins over a parameter; an empty segment fits none. */
function walk<Row>(
  node: Node<Row>,
  segments: readonly string[],
  at: number,
  values: string[],
): Node<Row> | undefined {
  const segment = segments[at];
  if (segment === undefined) return node.rows.size > 0 ? node : undefined;
  const literal = node.literals.get(segment);
  const found = literal && walk(literal, segments, at + 1, values);
  if (found || !node.parameter || segment === "") return found;
  values.push(decoded(segment));
  const deeper = walk(node.parameter, segments, at + 1, values);
  if (!deeper) values.pop();
  return deeper;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
