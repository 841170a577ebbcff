import type { Random } from "./random.ts";
import type { RUN_TYPES } from "./run-input.ts";

/** One run of a sample trace without times and contents; parents precede their children. */
export interface Branch {
  /** Index of the parent in the list; -1 for the root. */
  readonly parent: number;
  readonly type: (typeof RUN_TYPES)[number];
  readonly name: string;
}

/** The shapes of `SAMPLE_SHAPES` that are generated as trees. */
export type TreeShape = "mixed" | "flat" | "deep" | "wide" | "errors";

/** Generates the runs of one trace, in order of their start. */
export function buildTree(shape: TreeShape, random: Random): readonly Branch[] {
  const tree: Branch[] = [];
  if (shape === "flat") single(tree, random);
  else if (shape === "deep") nested(tree, 8 + random.below(17));
  else if (shape === "wide") fanOut(tree, random, 20 + random.below(41));
  else random.pick(RECIPES)(tree, random);
  return tree;
}

type Recipe = (tree: Branch[], random: Random) => void;

const RECIPES: readonly [Recipe, ...Recipe[]] = [
  single,
  supportAgent,
  supportAgent,
  retrievalChain,
  teamOfAgents,
];

function add(tree: Branch[], parent: number, type: Branch["type"], name: string): number {
  return tree.push({ parent, type, name }) - 1;
}

function single(tree: Branch[], random: Random): void {
  if (random.chance(0.6)) add(tree, -1, "llm", "ChatAster");
  else add(tree, -1, "chain", "classify_intent");
}

function supportAgent(tree: Branch[], random: Random): void {
  const root = add(tree, -1, "chain", "support_agent");
  agentRounds(tree, root, 1 + random.below(3));
}

function agentRounds(tree: Branch[], parent: number, rounds: number): void {
  add(tree, parent, "prompt", "ChatPromptTemplate");
  for (let round = 0; round < rounds; round++) {
    add(tree, parent, "llm", "ChatAster");
    add(tree, parent, "tool", "call_tool");
  }
  add(tree, parent, "llm", "ChatAster");
  add(tree, parent, "parser", "StrOutputParser");
}

function retrievalChain(tree: Branch[]): void {
  const root = add(tree, -1, "chain", "answer_from_documents");
  const retriever = add(tree, root, "retriever", "VectorStoreRetriever");
  add(tree, retriever, "embedding", "BorealEmbeddings");
  add(tree, root, "prompt", "ChatPromptTemplate");
  add(tree, root, "llm", "ChatAster");
}

function teamOfAgents(tree: Branch[], random: Random): void {
  const root = add(tree, -1, "chain", "supervisor");
  for (let member = 1 + random.below(3); member > 0; member--) {
    agentRounds(tree, add(tree, root, "chain", `agent_${member}`), 1);
  }
}

function nested(tree: Branch[], depth: number): void {
  for (let level = 0; level < depth - 1; level++) add(tree, level - 1, "chain", `step_${level}`);
  add(tree, depth - 2, "llm", "ChatAster");
}

function fanOut(tree: Branch[], random: Random, width: number): void {
  const root = add(tree, -1, "chain", "map_documents");
  for (let item = 0; item < width; item++) {
    if (random.chance(0.5)) add(tree, root, "llm", "ChatAster");
    else add(tree, root, "tool", "call_tool");
  }
}
