import busboy from "busboy";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readMultipart } from "../../emulator/http/multipart.ts";
import { BOUNDARY, FORM, formOf, type Part } from "./form.ts";

/** What busboy, which is not ours, makes of a body. */
function readByBusboy(body: Buffer): Promise<[string, string][]> {
  return new Promise((resolve, reject) => {
    const parts: [string, string][] = [];
    const parser = busboy({
      headers: { "content-type": FORM },
      limits: { fieldSize: 1e9 },
      defParamCharset: "utf8",
    });
    // It hands bytes over untouched only where it takes them for a file.
    parser.on("file", (name, stream) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk) => chunks.push(chunk));
      stream.on("end", () => parts.push([name, Buffer.concat(chunks).toString("hex")]));
    });
    parser.on("close", () => resolve(parts));
    parser.on("error", reject);
    parser.end(body);
  });
}

const partOf: fc.Arbitrary<Part> = fc.record({
  name: fc.stringMatching(/^[a-zA-Z0-9._ ü;=-]{1,40}$/),
  content: fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc
      .constantFrom("\r\n", "--", `x--${BOUNDARY}`, `\r\n--${BOUNDARY.slice(0, -1)}`, "\r\n\r\n")
      .map(Buffer.from),
  ),
  type: fc.constant("application/octet-stream"),
  length: fc.constant(false as const),
});

const MAX_PARTS = 1_000;

describe("readMultipart", () => {
  test("reads what busboy reads, on a Buffer and on plain bytes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(partOf, { minLength: 1, maxLength: 8 }), async (parts) => {
        const body = formOf(parts);
        const ours = readMultipart(body, FORM, MAX_PARTS).map(({ name, bytes }) => [
          name,
          Buffer.from(bytes).toString("hex"),
        ]);
        expect(ours).toEqual(await readByBusboy(body));
        const plain = new Uint8Array(body);
        expect(readMultipart(plain, FORM, MAX_PARTS).map(({ name }) => name)).toEqual(
          parts.map(({ name }) => name),
        );
      }),
      { numRuns: 40 },
    );
  });

  test("believes a length, so that a part may hold the boundary itself", () => {
    const content = `a\r\n--${BOUNDARY}\r\nb`;
    const [part] = readMultipart(formOf([{ name: "file", content }]), FORM, MAX_PARTS);
    expect(Buffer.from(part?.bytes ?? []).toString()).toBe(content);
  });

  test("throws only refusals for any bytes", () => {
    const body = formOf([{ name: "post.x", content: "{}" }]);
    fc.assert(
      fc.property(fc.nat(body.length - 1), fc.nat(255), fc.nat(body.length), (at, byte, length) => {
        const bytes = Buffer.from(body.subarray(0, length));
        if (at < length) bytes[at] = byte;
        try {
          readMultipart(bytes, FORM, MAX_PARTS);
        } catch (error) {
          expect(error).toMatchObject({ status: 422, code: "malformed_multipart" });
        }
      }),
      { numRuns: 100 },
    );
  });

  test("reads quoted boundaries, other headers' case, white space and a preamble", () => {
    const body = Buffer.from(
      'preamble\r\n--a b \t\r\ncontent-disposition: FORM-DATA; filename="x.bin"; name="q\\"uote"\r\n\r\n1\r\n--a b--',
    );
    expect(
      readMultipart(body, 'multipart/form-data; charset=utf-8; BOUNDARY="a b"', MAX_PARTS),
    ).toMatchObject([{ name: 'q"uote', contentType: "" }]);
  });

  test("accepts the maximum number of parts and not one more", () => {
    const parts = Array.from({ length: MAX_PARTS }, (_, index) => ({ name: `${index}`, content: "" }));
    expect(readMultipart(formOf(parts), FORM, MAX_PARTS)).toHaveLength(MAX_PARTS);
    expect(() => readMultipart(formOf([...parts, { name: "x", content: "" }]), FORM, MAX_PARTS)).toThrow(
      /more than 1000 parts \(limits.form_parts\)/,
    );
  });

  const part = { name: "post.x", content: "{}" };
  const withHeader = (line: string) => Buffer.from(`--${BOUNDARY}\r\n${line}\r\n\r\nx\r\n--${BOUNDARY}--`);

  test.each([
    ["no boundary", formOf([part]), "multipart/form-data", "names no boundary of 1 to"],
    ["another boundary", formOf([part]), "multipart/form-data; boundary=x", "does not occur"],
    ["no end", formOf([part]).subarray(0, -20), FORM, "part"],
    ["no last boundary", formOf([part], ""), FORM, "part"],
    ["too large a length", formOf([{ ...part, length: 400 }]), FORM, "declares 400 bytes, but has 2"],
    ["too large a length", formOf([{ ...part, length: 3 }, part]), FORM, "declares 3 bytes, but has 2"],
    ["too small a length", formOf([{ ...part, length: 1 }]), FORM, "declares 1 bytes, but has 2"],
    ["a length that is not a number", formOf([{ ...part, length: Number.NaN }]), FORM, "ambiguous length"],
    ["two lengths", formOf([{ ...part, headers: ["Content-Length: 3"] }]), FORM, "ambiguous length"],
    ["a part without a name", withHeader("Content-Type: text/plain"), FORM, "with a name"],
    ["a header without a colon", withHeader("nonsense"), FORM, "has a header without a colon"],
    ["headers without an end", withHeader(`A: ${"x".repeat(9000)}`), FORM, "do not end within"],
    [
      "a compressed part",
      formOf([{ ...part, headers: ["Content-Encoding: gzip"] }]),
      FORM,
      "has a Content-Encoding",
    ],
  ])("refuses %s", (_, body, type, text) => {
    expect(() => readMultipart(body, type, MAX_PARTS)).toThrow(
      expect.objectContaining({ status: 422, message: expect.stringContaining(text) }),
    );
  });
});
