/** The part of a pattern between two `%`: matches a fixed number of characters. */
interface PatternPart {
  /** Undefined when it contains a `_`. */
  readonly plain: string | undefined;
  readonly sticky: RegExp;
  readonly anywhere: RegExp;
  readonly atEnd: RegExp;
}

/**
 * Compiles a case-sensitive SQL LIKE pattern: `%` is any text, `_` any one character, a backslash escapes the
 * next character. Each part is searched once, after the previous match, so that matching needs no
 * backtracking.
 */
export function likeTest(pattern: string): (text: string) => boolean {
  const parts = patternParts(pattern);
  const [first] = parts as [PatternPart];
  if (parts.length === 1) return (text) => matchesFrom(first, text);
  const last = parts.at(-1) as PatternPart;
  const between = parts.slice(1, -1);
  return (text) => {
    let at = endAfter(first, first.sticky, text, 0);
    for (let index = 0; at >= 0 && index < between.length; index++) {
      const part = between[index] as PatternPart;
      at = endAfter(part, part.anywhere, text, at);
    }
    return at >= 0 && endsWith(last, text, at);
  };
}

function patternParts(pattern: string): readonly PatternPart[] {
  const parts: PatternPart[] = [];
  let plain = "";
  let source = "";
  let hasAny = false;
  const close = () => {
    parts.push({
      plain: hasAny ? undefined : plain,
      sticky: new RegExp(source, "suy"),
      anywhere: new RegExp(source, "sug"),
      atEnd: new RegExp(`(?:${source})$`, "sug"),
    });
    [plain, source, hasAny] = ["", "", false];
  };
  const characters = [...pattern];
  for (let index = 0; index < characters.length; index++) {
    let character = characters[index] as string;
    if (character === "%") {
      close();
      continue;
    }
    if (character === "_") {
      source += ".";
      hasAny = true;
      continue;
    }
    if (character === "\\" && index + 1 < characters.length) character = characters[++index] as string;
    plain += character;
    source += literally(character);
  }
  close();
  return parts;
}

function literally(character: string): string {
  return `\\u{${(character.codePointAt(0) as number).toString(16)}}`;
}

function matchesFrom(part: PatternPart, text: string): boolean {
  if (part.plain !== undefined) return text === part.plain;
  return endAfter(part, part.sticky, text, 0) === text.length;
}

/** The end of the first match of the part at or after `at`; -1 without a match. */
function endAfter({ plain }: PatternPart, pattern: RegExp, text: string, at: number): number {
  if (plain !== undefined) {
    const start = pattern.sticky ? (text.startsWith(plain, at) ? at : -1) : text.indexOf(plain, at);
    return start < 0 ? -1 : start + plain.length;
  }
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

function endsWith({ plain, atEnd }: PatternPart, text: string, at: number): boolean {
  if (plain !== undefined) return text.length - plain.length >= at && text.endsWith(plain);
  atEnd.lastIndex = at;
  return atEnd.test(text);
}
