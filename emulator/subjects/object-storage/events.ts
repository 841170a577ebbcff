export type ObjectStorageEvents = {
  readonly "object_storage.delay_over": { readonly delay_id: string };
};

export type ObjectStorageEffects = {
  /** Removes what a deleted bucket has left on disk. */
  readonly "object_storage.remove_files": {
    readonly data: { readonly bucket: string; readonly files: readonly string[] };
    readonly result: { readonly removed: true };
  };
};
