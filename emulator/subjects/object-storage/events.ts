export type ObjectStorageEvents = {
  readonly "object_storage.delay_over": { readonly delay_id: string };
};

export type ObjectStorageEffects = {
  /** Removes the files of a deleted bucket. */
  readonly "object_storage.remove_files": {
    readonly data: { readonly bucket: string; readonly files: readonly string[] };
    readonly result: { readonly removed: true };
  };
};
