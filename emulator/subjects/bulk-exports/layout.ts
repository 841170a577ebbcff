import type { FormatVersion } from "./encoder.ts";

/** What the key of an exported file is made of (§2.8). */
export interface Place {
  readonly bucket: string;
  readonly prefix: string;
  readonly includeBucketInPrefix: boolean;
  readonly exportId: string;
  readonly tenantId: string;
  readonly sessionId: string;
  readonly formatVersion: FormatVersion;
  /** `YYYY-MM-DD` */
  readonly day: string;
  /** Counted from 0 within the partition. */
  readonly fileNumber: number;
}

/** How the silences of §2.8 are filled. */
export interface LayoutChoices {
  readonly v2Folder: "runs" | "resource=runs";
  readonly padding: boolean;
}

/** The key of an exported file in its bucket (§2.8). */
export function fileKey(place: Place, choices: LayoutChoices): string {
  const [year, month, day] = place.day.split("-").map(Number) as [number, number, number];
  const pad = (part: number) => (choices.padding ? String(part).padStart(2, "0") : String(part));
  return [
    ...rootOf(place),
    `export_id=${place.exportId}`,
    `tenant_id=${place.tenantId}`,
    `session_id=${place.sessionId}`,
    place.formatVersion === "v2_beta" ? choices.v2Folder : "runs",
    `year=${year}`,
    `month=${pad(month)}`,
    `day=${pad(day)}`,
    `part-${String(place.fileNumber).padStart(5, "0")}.parquet`,
  ].join("/");
}

/**
 * The prefix without empty segments at its ends, led by the bucket's name where that is asked for
 * (§2.4-13) and not already there.
 */
export function rootOf(place: Pick<Place, "bucket" | "prefix" | "includeBucketInPrefix">): readonly string[] {
  const prefix = place.prefix.replace(/^\/+|\/+$/g, "");
  const segments = prefix === "" ? [] : [prefix];
  const named = prefix === place.bucket || prefix.startsWith(`${place.bucket}/`);
  return place.includeBucketInPrefix && !named ? [place.bucket, ...segments] : segments;
}
