import { checkRows } from "./check.ts";

checkRows("replies");
