/**
 * Characters that control a terminal, a log or a page: controls, line separators, bidirectional marks, the byte order
 * mark, and those that XML does not allow. Also what GitHub and Azure read as a command: `::` at the start of a line,
 * and `##[` or `##vso[` anywhere.
 */
const UNSAFE =
  /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Cs}\ufeff\ufffe\uffff]|:(?=:)(?<=^\s*:)|#(?=#(?:vso)?\[)/gu;

const SHORT: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/**
 * One line of output in which stored text can do nothing: unsafe characters are escaped as in JSON. Every line for a
 * terminal, a log or a report passes it. JSON stays the same value.
 */
export function printable(line: string): string {
  return line.replace(
    UNSAFE,
    (sign) => SHORT[sign] ?? `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
