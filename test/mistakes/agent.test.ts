import { checkRows } from "./check.ts";

checkRows("agent");
