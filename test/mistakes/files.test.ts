import { checkRows } from "./check.ts";

checkRows("files");
