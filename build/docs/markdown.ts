/** A page that is written by `npm run docs`; its parts are paragraphs, headings and tables. */
export function page(title: string, ...parts: readonly string[]): string {
  return `${["<!-- Written by `npm run docs`: change the tables that it is made of. -->", `# ${title}`, ...parts].join("\n\n")}\n`;
}

/** A table; its cells are Markdown already. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => "---"), ...rows];
  return lines
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll("\n", " ")).join(" | ")} |`)
    .join("\n");
}

/** Code in a cell; nothing where there is none. */
export function code(text: string): string {
  return text === "" ? "" : `\`${text.replaceAll("|", "\\|")}\``;
}

/** Several pieces of code in a cell. */
export function codes(texts: readonly string[]): string {
  return texts.map(code).join(", ");
}

/** Text in a cell, as it is; code in it stays code. */
export function plain(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part, index) => part.replace(index % 2 === 1 ? /([|])/g : /([|<>*_{}[\]])/g, "\\$1"))
    .join("");
}

/** The names of the members of an object's schema; `?` follows those that may be left out. */
export function membersOf(schema: Readonly<Record<string, unknown>> | undefined): readonly string[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    readonly properties?: Readonly<Record<string, unknown>>;
    readonly required?: readonly string[];
  };
  return Object.keys(properties).map((name) => (required.includes(name) ? name : `${name}?`));
}
