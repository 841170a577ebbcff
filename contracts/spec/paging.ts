import { assumed, type Field, integer, optional } from "./fields.ts";

const ours = <T>(field: Field<T>) => optional(assumed(field, "export.list_paging"));

/** Paging of the bulk-export lists: not shown, and without it the whole list is answered. */
export const paging = {
  limit: ours(
    integer({
      minimum: 1,
      maximum: 1000,
      description: "Maximum number of entries; all when left out.",
    }),
  ),
  offset: ours(
    integer({
      minimum: 0,
      default: 0,
      description: "Number of entries to skip.",
    }),
  ),
};
