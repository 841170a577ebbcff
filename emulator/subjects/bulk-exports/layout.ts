import type { FormatVersion } from "./encoder.ts";

/** The parts of the key of an exported file (§2.8). */
export interface FileLocation {
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

/** Choices that §2.8 leaves open. */
export interface LayoutOptions {
  readonly v2Folder: "runs" | "resource=runs";
  readonly padding: boolean;
}

/** The key of an exported file in its bucket (§2.8). */
export function fileKey(location: FileLocation, options: LayoutOptions): string {
  const [year, month, day] = location.day.split("-").map(Number) as [number, number, number];
  const pad = (part: number) => (options.padding ? String(part).padStart(2, "0") : String(part));
  return [
    ...rootOf(location),
    `export_id=${location.exportId}`,
    `tenant_id=${location.tenantId}`,
    `session_id=${location.sessionId}`,
    location.formatVersion === "v2_beta" ? options.v2Folder : "runs",
    `year=${year}`,
    `month=${pad(month)}`,
    `day=${pad(day)}`,
    `part-${String(location.fileNumber).padStart(5, "0")}.parquet`,
  ].join("/");
}

/** The prefix without empty segments at its ends, after the bucket's name if the destination requires it (§2.4-13). */
export function rootOf(
  location: Pick<FileLocation, "bucket" | "prefix" | "includeBucketInPrefix">,
): readonly string[] {
  const prefix = location.prefix.replace(/^\/+|\/+$/g, "");
  const segments = prefix === "" ? [] : [prefix];
  const hasBucket = prefix === location.bucket || prefix.startsWith(`${location.bucket}/`);
  return location.includeBucketInPrefix && !hasBucket ? [location.bucket, ...segments] : segments;
}
