const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** §2.4: a date and a time with a zone (RFC 3339). */
const DATE_TIME =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[T ](?:(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d|23:59:60)(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):?(?:[0-5]\d)?)$/i;

const SHORT_MONTHS = ["02", "04", "06", "09", "11"];

/** The formats that fields have. */
export const FORMATS = { uuid: UUID, "date-time": isDateTime } as const;

function isDateTime(text: string): boolean {
  const [, year, month = "", day] = DATE_TIME.exec(text) ?? [];
  if (year === undefined || Number(day) < 29 || !SHORT_MONTHS.includes(month)) return year !== undefined;
  return Number(day) <= (month === "02" ? (isLeap(Number(year)) ? 29 : 28) : 30);
}

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}
