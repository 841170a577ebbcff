import { assumptionsAbout } from "../assumption.ts";

/** The language of filters, and what it may name. */
export const FILTER_ASSUMPTIONS = assumptionsAbout("2.5", "2.5-4", {
  "export.malformed_filter": {
    requirement: "2.5-10",
    choice: "422 at creation, with the position and a hint",
    reason: "An error is most useful early.",
  },
  "export.filter_grammar": {
    choice: "and, or, not, eq, neq, gt, gte, lt, lte, has, in, like, notlike, exists, search",
    reason:
      "Three forms are shown as examples. The others are documented for public clients (the public service was observed to refuse `not`).",
  },
  "export.filter_texts": {
    choice: "double quotes use JSON escapes, single quotes \\' and \\\\; any other backslash is kept",
    reason: "Patterns keep their backslashes, and JSON in single quotes does not need further escaping.",
  },
  "export.filter_bounds": {
    choice:
      "65536 characters, 100 levels, 1000 arguments, 1000 values of a list, 100 separate groups of _ between two %",
    reason: "A limit: a larger filter is refused like one that cannot be parsed.",
  },
  "export.filter_fields": {
    choice: "every column",
    alternatives: ["some refused"],
    reason:
      "Every column accepts `eq`, and every column with a text form accepts `like`. On a list, one element has to match. The public service was observed to refuse total_tokens and error, and comparators by type. The alternative also refuses the other numeric columns.",
    ruledOut: ["some refused"],
    observed: "some refused",
  },
  "export.filter_comparators": {
    choice:
      "`eq` on every column, `like` on those with a text form; `gt`, `gte`, `lt` and `lte` on numbers, times and `dotted_order`; `has` on lists; others are a 422",
    reason: "Only `and`, `eq` and `like` are shown. The other comparators follow the type of the column.",
  },
  "export.filter_units": {
    choice: 'latency in seconds: a number, or a text ending in "s"; a date is its midnight in UTC',
    reason:
      "Only this unit was observed. A time without a zone is in UTC, like every other time of an export.",
  },
  "export.filter_no_value": {
    choice: "neq and notlike are the opposites of eq and like: a row without a value matches",
    reason: "Documented for keys (neq means that the key is absent). All fields use the same rule.",
  },
  "export.filter_like": {
    choice:
      "% and _ with a backslash as escape, case-sensitive; search covers keys and values, case-insensitive",
    reason: "As LIKE in SQL. Inputs and outputs are compared as the JSON text of their column.",
  },
  "export.filter_entries": {
    choice:
      "keys are dotted and pass through arrays (below 1000 characters only eq finds them); values are equal if their texts are; feedback_score is the average",
    reason: "The example messages.content shows the keys. Rows contain only summarised feedback.",
  },
  "export.filter_two_keys": {
    choice:
      "two `eq` conditions on one key field, such as `metadata_key`, with different values in the same `and`: 422",
    reason: "Key and value within one `and` belong to the same entry, so no row could match.",
  },
});
