import { route } from "../model/router.ts";
import { CreateExport } from "./create.tsx";
import { ExportPage } from "./detail.tsx";
import { ExportList } from "./list.tsx";

export function ExportsView() {
  const { id } = route.value;
  if (id === "new") return <CreateExport />;
  return id === null ? <ExportList /> : <ExportPage id={id} />;
}
