import { checkRows } from "./check.ts";

checkRows("numbers");
