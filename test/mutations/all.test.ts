import { describe, it } from "vitest";
import { MUTATIONS } from "./mutations.ts";
import { expectNoticed, expectPassing } from "./noticed.ts";

describe("contract run", () => {
  it("finds nothing in the product as it is", () => expectPassing(MUTATIONS));

  it.concurrent.each(MUTATIONS)("notices: $title", (mutation) => expectNoticed(mutation));
});
