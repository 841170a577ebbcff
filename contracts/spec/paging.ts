import { integer, optional } from "./fields.ts";

/** Paging of the bulk-export lists: not shown, and without it the whole list is answered. */
export const paging = {
  limit: optional(
    integer({
      minimum: 1,
      maximum: 1000,
      description: "Most entries to answer with; all of them when left out.",
      "x-assumption": "export.list_paging",
    }),
  ),
  offset: optional(
    integer({
      minimum: 0,
      default: 0,
      description: "Entries to pass over first.",
      "x-assumption": "export.list_paging",
    }),
  ),
};
