import ts from "@typescript/typescript6";

export function longFunctions(path, text, maxLines) {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const lineAt = (position) => file.getLineAndCharacterOfPosition(position).line;
  const long = [];
  const visit = (node) => {
    if (ts.isFunctionLike(node) && node.body) {
      const start = lineAt(node.getStart());
      const lines = lineAt(node.end) - start + 1;
      const name = (node.name ?? node.parent?.name)?.getText() ?? "a function";
      if (lines > maxLines) long.push(`${path}:${start + 1} ${name} has ${lines} lines`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return long;
}
