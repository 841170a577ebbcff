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
