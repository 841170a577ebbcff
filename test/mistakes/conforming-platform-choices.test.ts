import { checkRows } from "./check.ts";

checkRows("conforming-platform-choices");
