import { checkRows } from "./check.ts";

checkRows("conforming-export-choices");
