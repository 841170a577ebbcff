import type { SendWrapper } from "../row.ts";
import { type Route, rewriteText } from "../wire.ts";

const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/** The UUIDs of a text in small letters. */
export const lowerCaseIds = (text: string) => text.replace(ID, (id) => id.toLowerCase());

/** The UUIDs of a text in capitals. */
export const upperCaseIds = (text: string) => text.replace(ID, (id) => id.toUpperCase());

/** Times with a small `t` and `z`, which RFC 3339 allows. */
export const lowerCaseTimes = (route: Route): SendWrapper =>
  rewriteText(route, (text) => text.replace(/"(\d{4}-\d\d-\d\d)T([\d:.]+)Z"/g, '"$1t$2z"'));
