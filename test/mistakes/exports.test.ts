import { checkRows } from "./check.ts";

checkRows("exports");
