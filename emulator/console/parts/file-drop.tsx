import { useState } from "preact/hooks";

interface FileDropProps {
  readonly name: string;
  readonly hint: string;
  readonly accept: string;
  readonly onFile: (file: File) => void;
}

/** Opens a file that is dropped here or selected. */
export function FileDrop({ name, hint, accept, onFile }: FileDropProps) {
  const [isOver, setOver] = useState(false);
  const openFirst = (files: FileList | null | undefined) => {
    const file = files?.[0];
    if (file) onFile(file);
  };
  return (
    <label
      class={`drop${isOver ? " over" : ""}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        openFirst(event.dataTransfer?.files);
      }}
    >
      <strong>{name}</strong> <span class="muted">{hint}</span>
      <input type="file" accept={accept} onChange={(event) => openFirst(event.currentTarget.files)} />
    </label>
  );
}
