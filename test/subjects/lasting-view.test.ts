import { describe, expect, it } from "vitest";
import { jsonBody, lastingView } from "../../emulator/subjects/lasting-view.ts";

const SETTINGS = {};

const jsonOf = (value: unknown) => Buffer.from(jsonBody(value)).toString();

describe("the view of a record", () => {
  it("is made once for each record and its settings", () => {
    const record = {};
    const view = lastingView(SETTINGS, record, () => ({ id: 1 }));
    expect(lastingView(SETTINGS, record, () => ({ id: 2 }))).toBe(view);
    expect(lastingView({}, record, () => ({ id: 3 }))).toEqual({ id: 3 });
    expect(lastingView(SETTINGS, {}, () => ({ id: 4 }))).toEqual({ id: 4 });
  });

  it("is the same JSON in a list, the second time too, next to values that are not views", () => {
    const list = [
      lastingView(SETTINGS, {}, () => ({ text: 'a "quoted" ä' })),
      { plain: [1, null] },
      lastingView(SETTINGS, {}, () => ({ left: undefined, empty: {} })),
    ];
    for (let time = 0; time < 2; time += 1) expect(jsonOf(list)).toBe(JSON.stringify(list));
  });

  it("continues when the cache exceeds its bound", () => {
    const long = "x".repeat(1024 * 1024);
    const records = Array.from({ length: 18 }, (_, id) => ({ id }));
    const views = () => records.map((record) => lastingView(SETTINGS, record, () => ({ ...record, long })));
    const [first, second] = [views(), views()];
    expect(jsonOf(first)).toBe(JSON.stringify(first));
    expect(jsonOf(second)).toBe(JSON.stringify(first));
    expect(views()).toEqual(first);
  });

  it("encodes its list once, and again after a change", () => {
    const long = "x".repeat(5_000);
    const [a, b, c] = ["a", "b", "c"].map((id) => lastingView(SETTINGS, {}, () => ({ id, long })));
    const body = jsonBody([a, b]);
    expect(jsonBody([a, b])).toBe(body);
    expect(Buffer.from(body).toString()).toBe(JSON.stringify([a, b]));
    for (const list of [[a, c], [a], [a, b, c], [b, a]]) expect(jsonOf(list)).toBe(JSON.stringify(list));
    expect(jsonOf([a, b])).toBe(JSON.stringify([a, b]));
  });
});
