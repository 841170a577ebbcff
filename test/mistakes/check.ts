import { afterAll, expect, it } from "vitest";
import type { Row } from "./row.ts";
import { ROWS } from "./rows.ts";
import { casesAbout, closeServers, conformanceOf, noticedBy } from "./servers.ts";

const titled = (rows: readonly Row[]) => rows.map((row) => [`${row.about}: ${row.does}`, row] as const);

/** A test for each row of a part. */
export function checkRows(part: keyof typeof ROWS): void {
  afterAll(closeServers);
  const rows: readonly Row[] = ROWS[part];
  it.each(titled(rows.filter(({ finds }) => finds !== "nothing")))("%s: is noticed", async (_, row) => {
    expect(casesAbout(row.about).map(({ id }) => id)).toContain(await noticedBy(row));
  });
  it.each(titled(rows.filter(({ finds }) => finds === "nothing")))("%s: no case fails", async (_, row) => {
    const { cases, failed } = await conformanceOf(row);
    expect(failed).toEqual([]);
    expect(cases, "cases that notice the difference").toBeGreaterThan(0);
  });
}
