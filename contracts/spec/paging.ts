import { integer, optional } from "./fields.ts";

/** Paging of the bulk-export lists: not shown, and without it the whole list is answered. */
export const paging = {
  limit: optional(
    integer({
      minimum: 1,
      maximum: 1000,
      description: "Maximum number of entries; all when left out.",
      "x-assumption": "export.list_paging",
    }),
  ),
  offset: optional(
    integer({
      minimum: 0,
      default: 0,
      description: "Number of entries to skip.",
      "x-assumption": "export.list_paging",
    }),
  ),
};
