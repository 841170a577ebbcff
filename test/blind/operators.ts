import ts from "@typescript/typescript6";

/** A change of one place in a source that nobody wrote with the contract cases in mind. */
export interface Change {
  readonly operator: string;
  readonly form: "expression" | "statement" | "members";
  /** What is replaced, and by what. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Where the difference is, and what it is. */
  readonly place: number;
  readonly from: string;
  readonly to: string;
  /** Whether it takes effect when its module is loaded, and never again. */
  readonly isOnLoad: boolean;
}

type ChangeAt = Omit<Change, "isOnLoad">;

const { SyntaxKind: Kind } = ts;

/** Operators of two operands, and what replaces them. */
const OPERATORS: ReadonlyMap<ts.SyntaxKind, readonly [operator: string, text: string]> = new Map([
  [Kind.LessThanToken, ["boundary", "<="]],
  [Kind.LessThanEqualsToken, ["boundary", "<"]],
  [Kind.GreaterThanToken, ["boundary", ">="]],
  [Kind.GreaterThanEqualsToken, ["boundary", ">"]],
  [Kind.EqualsEqualsEqualsToken, ["condition", "!=="]],
  [Kind.ExclamationEqualsEqualsToken, ["condition", "==="]],
  [Kind.AmpersandAmpersandToken, ["condition", "||"]],
  [Kind.BarBarToken, ["condition", "&&"]],
  [Kind.MinusToken, ["constant", "+"]],
  [Kind.AsteriskToken, ["constant", "/"]],
]);

/** Methods whose removal leaves a list a list. */
const LIST_METHODS = new Set(["filter", "reverse", "slice", "sort", "toReversed", "toSorted"]);

/** Every change that the operators allow in a source. */
export function changesIn(text: string): readonly Change[] {
  const changes: Change[] = [];
  function visit(node: ts.Node, isOnLoad: boolean): void {
    if (isIgnored(node)) return;
    changes.push(...changesAt(node).map((change) => ({ ...change, isOnLoad })));
    ts.forEachChild(node, (child) => visit(child, isOnLoad && !ts.isFunctionLike(node)));
  }
  visit(ts.createSourceFile("source.ts", text, ts.ScriptTarget.Latest, true), true);
  return changes;
}

/** Calls that write our own journal. */
const NOTES = /^turn\.note\(/;

/** Types have no behaviour, the words of an error message are free, and no server has our journal. */
function isIgnored(node: ts.Node): boolean {
  return (
    (ts.isCallExpression(node) && NOTES.test(node.getText())) ||
    ts.isTypeNode(node) ||
    ts.isImportDeclaration(node) ||
    ts.isExportDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isThrowStatement(node)
  );
}

function changesAt(node: ts.Node): readonly ChangeAt[] {
  if (ts.isBinaryExpression(node)) return changedOperator(node);
  if (ts.isIfStatement(node)) return negated(node.expression);
  if (ts.isConditionalExpression(node)) return negated(node.condition);
  if (ts.isObjectLiteralExpression(node)) return swappedMembers(node.properties);
  if (ts.isCallExpression(node)) return removedCall(node);
  return changedConstant(node);
}

const changed = (operator: string, node: ts.Node, text: string): ChangeAt => ({
  operator,
  form: "expression",
  start: node.getStart(),
  end: node.end,
  text: ts.isNumericLiteral(node) || text.startsWith("(") ? text : `(${text})`,
  place: node.getStart(),
  from: node.getText(),
  to: text,
});

/** Operators of two operands have changes of their own. */
function negated(condition: ts.Expression): readonly ChangeAt[] {
  const hasOwn = ts.isBinaryExpression(condition) && OPERATORS.has(condition.operatorToken.kind);
  return hasOwn ? [] : [changed("condition", condition, `!(${condition.getText()})`)];
}

function changedOperator(node: ts.BinaryExpression): readonly ChangeAt[] {
  const { left, operatorToken, right } = node;
  if (operatorToken.kind === Kind.QuestionQuestionToken) return [changed("condition", node, left.getText())];
  const [operator, to] = OPERATORS.get(operatorToken.kind) ?? [];
  if (operator === undefined || to === undefined) return [];
  const change = changed(operator, node, `((${left.getText()}) ${to} (${right.getText()}))`);
  return [{ ...change, place: operatorToken.getStart(), from: operatorToken.getText(), to }];
}

function removedCall(node: ts.CallExpression): readonly ChangeAt[] {
  const { expression: callee, parent } = node;
  if (ts.isExpressionStatement(parent))
    return [{ ...changed("removed call", parent, ""), form: "statement", text: ";", to: "" }];
  if (!ts.isPropertyAccessExpression(callee) || !LIST_METHODS.has(callee.name.text)) return [];
  // Parentheses would end an optional chain.
  if (node.flags & ts.NodeFlags.OptionalChain) return [];
  return [changed("removed call", node, callee.expression.getText())];
}

/** The values of two neighbours, such as `{ from, to }`, change places. */
function swappedMembers(members: readonly ts.ObjectLiteralElementLike[]): readonly ChangeAt[] {
  return members.flatMap((first, index) => {
    const second = members[index + 1];
    if (index % 2 === 1 || second === undefined) return [];
    const [one, other] = [valueOf(first), valueOf(second)];
    if (one === undefined || other === undefined) return [];
    const text = `${first.name?.getText()}: ${other}, ${second.name?.getText()}: ${one}`;
    const [start, end] = [first.getStart(), second.end];
    const from = first.getSourceFile().text.slice(start, end);
    return [{ operator: "swapped members", form: "members", start, end, text, place: start, from, to: text }];
  });
}

function valueOf(member: ts.ObjectLiteralElementLike): string | undefined {
  if (ts.isShorthandPropertyAssignment(member)) return member.name.text;
  return ts.isPropertyAssignment(member) ? member.initializer.getText() : undefined;
}

function changedConstant(node: ts.Node): readonly ChangeAt[] {
  if (ts.isNumericLiteral(node)) return [changed("constant", node, `(${node.getText()} + 1)`)];
  if (node.kind === Kind.TrueKeyword) return [changed("constant", node, "false")];
  if (node.kind === Kind.FalseKeyword) return [changed("constant", node, "true")];
  const isValue = ts.isStringLiteral(node) && !isMemberName(node) && !SENTENCE.test(node.text);
  return isValue ? [changed("constant", node, '"changed"')] : [];
}

/** Texts of several words are messages. */
const SENTENCE = / /;

const isMemberName = (node: ts.Node) => ts.isPropertyAssignment(node.parent) && node.parent.name === node;
