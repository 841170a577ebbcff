import { checkRows } from "./check.ts";

checkRows("assumptions");
