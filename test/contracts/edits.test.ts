import { expect, it } from "vitest";
import { EXPORT_EDITS } from "../mistakes/edits/exports.ts";
import { OTHER_EDITS } from "../mistakes/edits/others.ts";
import type { Row } from "../mistakes/row.ts";
import { edited } from "../mistakes/source.ts";

const EDITS: readonly Row[] = [...EXPORT_EDITS, ...OTHER_EDITS];

it("each deliberate mistake applies to its source, so that a source that changes keeps it", () => {
  for (const { edit } of EDITS) expect(edit && edited(edit)).toContain(edit?.to);
});
