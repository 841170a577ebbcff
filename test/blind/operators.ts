import ts from "@typescript/typescript6";

/** A change of one place in a source that nobody wrote with the contract cases in mind. */
export interface Change {
  readonly operator: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

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
  function visit(node: ts.Node): void {
    if (isIgnored(node)) return;
    changes.push(...changesAt(node));
    ts.forEachChild(node, visit);
  }
  visit(ts.createSourceFile("source.ts", text, ts.ScriptTarget.Latest, true));
  return changes;
}

/** Types have no behaviour, and the words of an error message are free. */
function isIgnored(node: ts.Node): boolean {
  return (
    ts.isTypeNode(node) ||
    ts.isImportDeclaration(node) ||
    ts.isExportDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isThrowStatement(node)
  );
}

function changesAt(node: ts.Node): readonly Change[] {
  if (ts.isBinaryExpression(node)) return changedOperator(node);
  if (ts.isIfStatement(node)) return [negated(node.expression)];
  if (ts.isConditionalExpression(node)) return [negated(node.condition)];
  if (ts.isObjectLiteralExpression(node)) return swappedMembers(node.properties);
  if (ts.isCallExpression(node)) return removedCall(node);
  return changedConstant(node);
}

const changed = (operator: string, node: ts.Node, text: string): Change => ({
  operator,
  start: node.getStart(),
  end: node.end,
  text,
});

const negated = (condition: ts.Expression) => changed("condition", condition, `!(${condition.getText()})`);

function changedOperator(node: ts.BinaryExpression): readonly Change[] {
  const { left, operatorToken } = node;
  if (operatorToken.kind === Kind.QuestionQuestionToken) return [changed("condition", node, left.getText())];
  const [operator, text] = OPERATORS.get(operatorToken.kind) ?? [];
  return operator === undefined || text === undefined ? [] : [changed(operator, operatorToken, text)];
}

function removedCall(node: ts.CallExpression): readonly Change[] {
  const { expression: callee, parent } = node;
  if (ts.isExpressionStatement(parent)) return [changed("removed call", parent, ";")];
  if (!ts.isPropertyAccessExpression(callee) || !LIST_METHODS.has(callee.name.text)) return [];
  return [changed("removed call", node, callee.expression.getText())];
}

/** The values of two neighbours, such as `{ from, to }`, change places. */
function swappedMembers(members: readonly ts.ObjectLiteralElementLike[]): readonly Change[] {
  return members.flatMap((first, index) => {
    const second = members[index + 1];
    if (index % 2 === 1 || second === undefined) return [];
    const [one, other] = [valueOf(first), valueOf(second)];
    if (one === undefined || other === undefined) return [];
    const text = `${first.name?.getText()}: ${other}, ${second.name?.getText()}: ${one}`;
    return [{ operator: "swapped members", start: first.getStart(), end: second.end, text }];
  });
}

function valueOf(member: ts.ObjectLiteralElementLike): string | undefined {
  if (ts.isShorthandPropertyAssignment(member)) return member.name.text;
  return ts.isPropertyAssignment(member) ? member.initializer.getText() : undefined;
}

function changedConstant(node: ts.Node): readonly Change[] {
  if (ts.isNumericLiteral(node)) return [changed("constant", node, `(${node.getText()} + 1)`)];
  if (node.kind === Kind.TrueKeyword) return [changed("constant", node, "false")];
  if (node.kind === Kind.FalseKeyword) return [changed("constant", node, "true")];
  return ts.isStringLiteral(node) && !isMemberName(node) ? [changed("constant", node, '"changed"')] : [];
}

const isMemberName = (node: ts.Node) => ts.isPropertyAssignment(node.parent) && node.parent.name === node;
