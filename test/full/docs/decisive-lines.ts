import type { Block } from "../../docs/markdown.ts";

/** A shell line with a comment that says what it does: `# exits with 1: …`, `# prints "text"` or `# exits with 1, prints "text"`. */
const EXPECTATION =
  /^(.*\S) +# (?=exits with \d|prints ")(?:exits with (\d))?(?:, )?(?:prints "([^"]+)")?(?:[:;] .*)?$/m;
const CLAIM = /# (?:exits with|prints) .*$/m;

/** For the start of a script: a command, its exit code and a part of its output. */
export const EXPECT_FUNCTION = `expecting() {
  local code=0 output
  output=$(eval "$3") || code=$?
  printf '%s\\n' "$output"
  [[ $code == "$1" && $output == *"$2"* ]]
}`;

/** The commands of a block; those with an expectation fail unless it holds. */
export function withExpectations({ text, place }: Block): string {
  const checked = text.replace(new RegExp(EXPECTATION, "gm"), (_, command: string, code = "0", output = "") =>
    ["expecting", code, ...[output, command].map((word) => `'${word.replaceAll("'", `'\\''`)}'`)].join(" "),
  );
  const [unread] = CLAIM.exec(checked) ?? [];
  if (unread !== undefined)
    throw new Error(`${place}: "${unread}" is not an expectation that can be checked`);
  return checked;
}

/** A file of a page. */
export type Example = Pick<Block, "place" | "text">;

/** An example without a line on which its expectations depend. */
export interface Mutant<Content> {
  readonly name: string;
  readonly content: Content;
}

const SHELL_LINE =
  /npx emulator (?:clock (?:advance|until|next)|fault arm|limits trip) (?![^#]*--dry-run)|\/(?:clock\/advance|faults|agent\/scripts)['"]? -d /;

/** The blocks of a page up to one with expectations, once without each decisive line before the last of them. */
export function shellMutants(blocks: readonly Block[]): readonly Mutant<readonly Block[]>[] {
  return blocks.flatMap((block, index) => {
    if (block.language !== "sh") return [];
    const lines = block.text.split("\n");
    const last = lines.findLastIndex((line) => EXPECTATION.test(line));
    return lines.slice(0, Math.max(last, 0)).flatMap((line, at) => {
      if (!SHELL_LINE.test(line)) return [];
      const rest = { ...block, text: lines.filter((_, other) => other !== at).join("\n") };
      return [{ name: `${block.place} without "${line}"`, content: [...blocks.slice(0, index), rest] }];
    });
  });
}

const TEST = /^(\w+)\("(.*?)"/gm;
const TEST_LINE = /^ +await .*(?:clock\.advance\w*|faults\.arm|\.control)\(.*\n/gm;

/** A file of vitest once without each decisive line: the test that has it is expected to fail, or all if it prepares them. */
export function testFileMutants({ place, text }: Example): readonly Mutant<string>[] {
  const statements = text.split(/(?<=^\}\);\n)/m);
  return statements.flatMap((statement) =>
    [...statement.matchAll(TEST_LINE)].map(([line]) => {
      const name = `${place} without "${line.trim()}"`;
      const fails = (code: string) =>
        code.replace(TEST, (_, test, title) => `${test}.fails(${JSON.stringify(`${title} fails: ${name}`)}`);
      const skip = (code: string) => code.replace(TEST, '$1.skip("$2"');
      const isTest = statement.search(TEST) >= 0;
      const parts = statements.map((other) =>
        other === statement ? fails(other.replace(line, "")) : isTest ? skip(other) : fails(other),
      );
      return { name, content: parts.join("") };
    }),
  );
}

const STEP = /^( *)- (?:advance|fault):.*\n(?:\1 +.*\n)*/gm;

/** A scenario once without each step that moves the clock or arms a fault. */
export function scenarioMutants({
  place,
  text,
}: Example): readonly (Mutant<string> & { readonly original: string })[] {
  return [...text.matchAll(STEP)].map(({ 0: step, 1: indent, index }) => ({
    name: `${place} without "${step.trim()}"`,
    original: text,
    // Lists of steps must not be empty.
    content: `${text.slice(0, index)}${indent}- control: GET /clock\n${text.slice(index + step.length)}`,
  }));
}
