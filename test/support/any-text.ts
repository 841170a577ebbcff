import fc from "fast-check";

const codePoint = fc.integer({ min: 0, max: 0x10ffff });

/** Texts of any code points. The unit `binary` of fast-check fills a table of all of them first, for most of a second. */
export const anyText = fc.string({
  unit: codePoint.map(
    (code) => String.fromCodePoint(code),
    (unit) => {
      const [first, ...others] = typeof unit === "string" ? unit : "";
      if (first === undefined || others.length > 0) throw new Error(`not a code point: ${String(unit)}`);
      return first.codePointAt(0) ?? 0;
    },
  ),
});
