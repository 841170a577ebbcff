import { relative } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Lines of the functions of a V8 profile that take the most time themselves, with what they take with their callees. */
export function topFunctions({ nodes, samples, timeDeltas }, count) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const own = new Map();
  const whole = new Map();
  let busy = 0;
  samples.forEach((id, at) => {
    const micros = timeDeltas[at];
    const name = nameOf(byId.get(id));
    if (name === "(idle)") return;
    busy += micros;
    add(own, name, micros);
    const seen = new Set();
    for (let each = id; each !== undefined; each = parents.get(each)) seen.add(nameOf(byId.get(each)));
    for (const caller of seen) add(whole, caller, micros);
  });
  const shown = (micros) => `${((100 * micros) / busy).toFixed(1).padStart(5)} %`;
  const top = [...own].sort(([, a], [, b]) => b - a).slice(0, count);
  return [
    `busy ${(busy / 1000).toFixed(0)} ms; by themselves, with what they call:`,
    ...top.map(([name, micros]) => `${shown(micros)} ${shown(whole.get(name))}  ${name}`),
  ];
}

function add(sums, name, micros) {
  sums.set(name, (sums.get(name) ?? 0) + micros);
}

function nameOf({ callFrame: { functionName, url, lineNumber } }) {
  const file = url.startsWith("file:") ? relative(ROOT, fileURLToPath(url)) : url;
  return `${functionName || "(anonymous)"}${file ? ` ${file}:${lineNumber + 1}` : ""}`;
}
