import { checkRows } from "./check.ts";

checkRows("conforming-replies");
