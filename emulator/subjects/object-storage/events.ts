export type ObjectStorageEvents = {
  readonly "object_storage.delay_over": { readonly delay_id: string };
};
