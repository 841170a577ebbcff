import { useState } from "preact/hooks";

interface FileDropProps {
  readonly name: string;
  readonly hint: string;
  readonly accept: string;
  readonly take: (file: File) => void;
}

/** Takes a file that is dropped here or chosen. */
export function FileDrop({ name, hint, accept, take }: FileDropProps) {
  const [isOver, setOver] = useState(false);
  const takeFirst = (files: FileList | null | undefined) => {
    const file = files?.[0];
    if (file) take(file);
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
        takeFirst(event.dataTransfer?.files);
      }}
    >
      <strong>{name}</strong> <span class="muted">{hint}</span>
      <input type="file" accept={accept} onChange={(event) => takeFirst(event.currentTarget.files)} />
    </label>
  );
}
