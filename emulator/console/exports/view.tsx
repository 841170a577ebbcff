import { route } from "../model/router.ts";
import { ExportPage } from "./detail.tsx";
import { ExportList } from "./list.tsx";

export function ExportsView() {
  const { id } = route.value;
  return id === null ? <ExportList /> : <ExportPage id={id} />;
}
