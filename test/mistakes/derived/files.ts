import { COLUMN_NAMES } from "../../../contracts/facts/columns.ts";
import { renameKeys, rewriteColumns, setColumns } from "../files.ts";
import { mistakes, type Row } from "../row.ts";

/** Each column of §2.7, and each folder of §2.8. */
export const FILE_MISTAKES: readonly Row[] = [
  ...COLUMN_NAMES.flatMap((name) =>
    mistakes({
      [`2.7-1: no column ${name}`]: rewriteColumns((all) => all.filter((column) => column.name !== name)),
      [`2.7-1: ${name} is always null`]: setColumns((_row) => ({ [name]: null })),
    }),
  ),
  ...["export_id=", "tenant_id=", "session_id=", "runs/", "year=", "month=", "day="].flatMap((folder) =>
    mistakes({
      [`2.8-1: a path has x${folder}`]: renameKeys((key) => key.replace(folder, `x${folder}`)),
    }),
  ),
];
