/** Rules across several fields, which a schema says badly; handlers refuse with their text (status 422). */
export interface Rule {
  readonly requirement: string;
  readonly field: string;
  readonly text: string;
  /** The entry that decides it where the specification leaves it open. */
  readonly assumption?: string;
}

/** §2.4: what holds across the fields of a destination. */
export const DESTINATION_RULES = {
  region_or_endpoint: {
    requirement: "2.4-1",
    field: "config.region",
    text: "config.region is required for an AWS-style bucket, that is without config.endpoint_url.",
    assumption: "destination.missing_region",
  },
  credentials_on_hosted: {
    requirement: "2.4-4",
    field: "credentials",
    text: "credentials are required; only a self-hosted deployment takes them from its environment.",
    assumption: "destination.missing_credentials",
  },
} as const satisfies Record<string, Rule>;

/** §2.5: what holds across the fields of an export. */
export const BULK_EXPORT_RULES = {
  end_of_one_off: {
    requirement: "2.5-2",
    field: "end_time",
    text: "end_time is required unless interval_hours makes the export a scheduled one.",
  },
  no_end_of_schedule: {
    requirement: "2.5-2",
    field: "end_time",
    text: "end_time must be left out of a scheduled export, that is with interval_hours.",
  },
  end_after_start: {
    requirement: "2.5-2",
    field: "end_time",
    text: "end_time must be later than start_time.",
    assumption: "export.reversed_window",
  },
} as const satisfies Record<string, Rule>;
