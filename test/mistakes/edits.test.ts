import { checkRows } from "./check.ts";

checkRows("edits");
