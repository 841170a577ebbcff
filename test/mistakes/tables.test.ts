import { checkRows } from "./check.ts";

checkRows("tables");
