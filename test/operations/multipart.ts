/** A part of a multipart body; `length` false leaves the length out, a number replaces it. */
export interface Part {
  readonly name: string;
  readonly content: string | Uint8Array;
  readonly type?: string;
  readonly length?: number | false;
  readonly headers?: readonly string[];
}

export const BOUNDARY = "----TestBoundary7MA4YWxkTrZu0gW";
export const FORM = `multipart/form-data; boundary=${BOUNDARY}`;

export function formOf(parts: readonly Part[], end = `--${BOUNDARY}--\r\n`): Buffer {
  const pieces = parts.flatMap(({ name, content, type = "application/json", length, headers = [] }) => {
    const bytes = Buffer.from(content as string);
    const said = length === false ? "" : `; length=${length ?? bytes.length}`;
    const lines = [
      `--${BOUNDARY}`,
      `Content-Disposition: form-data; name="${name}"`,
      `Content-Type: ${type}${said}`,
      ...headers,
    ];
    return [Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), bytes, Buffer.from("\r\n")];
  });
  return Buffer.concat([...pieces, Buffer.from(end)]);
}

export function uuid(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

/** The parts of a whole run, each member on its own. */
export function runParts(number: number, more: Record<string, unknown> = {}): Part[] {
  const { inputs, outputs, ...rest } = more;
  const run = {
    id: uuid(number),
    name: `run ${number}`,
    run_type: "chain",
    start_time: "2026-02-25T10:00:00Z",
    session_name: "shop",
    ...rest,
  };
  return [
    { name: `post.${uuid(number)}`, content: JSON.stringify(run) },
    { name: `post.${uuid(number)}.inputs`, content: JSON.stringify(inputs ?? { q: number }) },
    ...(outputs === undefined
      ? []
      : [{ name: `post.${uuid(number)}.outputs`, content: JSON.stringify(outputs) }]),
  ];
}
