import { checkRows } from "./check.ts";

checkRows("rates");
