/** Types of the compact protocol of Thrift, as fields and lists name them. */
export const TYPE = { true: 1, false: 2, i32: 5, i64: 6, binary: 8, list: 9, struct: 12 } as const;

const STOP = 0;
/** A list of more items has their number behind its first byte. */
const SHORT_LIST_MAX = 14;
const ROOM_BYTES = 8 * 1024;
/** What a field takes at most beside its text or bytes. */
const FIELD_BYTES_MAX = 24;

/** Writes a struct of Thrift: its fields in the order of their numbers, which are 15 apart at most; those without a value are left out. */
export class CompactWriter {
  #room = Buffer.allocUnsafeSlow(ROOM_BYTES);
  #at = 0;
  #last: number;

  /** `last` is the field before the first one. */
  constructor(last = 0) {
    this.#last = last;
  }

  i32(field: number, value: number | undefined): void {
    if (value === undefined) return;
    this.#field(field, TYPE.i32);
    this.#varint(value * 2);
  }

  /** Whole numbers from 0 up to 2⁵², which every length and place in a file is. */
  i64(field: number, value: bigint | undefined): void {
    if (value === undefined) return;
    this.#field(field, TYPE.i64);
    this.#varint(Number(value) * 2);
  }

  flag(field: number, value: boolean): void {
    this.#field(field, value ? TYPE.true : TYPE.false);
  }

  binary(field: number, value: string | Uint8Array): void {
    this.#field(field, TYPE.binary);
    this.item(value);
  }

  struct(field: number, fill: () => void): void {
    this.#field(field, TYPE.struct);
    this.structItem(fill);
  }

  /** The head of a list, which so many items follow. */
  list(field: number, type: number, items: number): void {
    this.#field(field, TYPE.list);
    this.#room[this.#at++] = (Math.min(items, SHORT_LIST_MAX + 1) << 4) | type;
    if (items > SHORT_LIST_MAX) this.#varint(items);
  }

  /** An item of a list. */
  item(value: number | string | Uint8Array): void {
    if (typeof value === "number") {
      this.#reserve(0);
      return this.#varint(value * 2);
    }
    const bytes = typeof value === "string" ? Buffer.byteLength(value) : value.length;
    this.#reserve(bytes);
    this.#varint(bytes);
    if (typeof value === "string") this.#room.write(value, this.#at);
    else this.#room.set(value, this.#at);
    this.#at += bytes;
  }

  /** A struct as an item of a list. */
  structItem(fill: () => void): void {
    const outer = this.#last;
    this.#last = 0;
    fill();
    this.end();
    this.#last = outer;
  }

  /** Ends the struct. */
  end(): void {
    this.#reserve(0);
    this.#room[this.#at++] = STOP;
  }

  /** Fields that another has written, of which this is the last one. */
  fields(bytes: Uint8Array, last: number): void {
    this.#reserve(bytes.length);
    this.#room.set(bytes, this.#at);
    this.#at += bytes.length;
    this.#last = last;
  }

  /** What was written. */
  bytes(): Uint8Array {
    return this.#room.subarray(0, this.#at);
  }

  #field(field: number, type: number): void {
    this.#reserve(0);
    this.#room[this.#at++] = ((field - this.#last) << 4) | type;
    this.#last = field;
  }

  #varint(value: number): void {
    let rest = value;
    for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) this.#room[this.#at++] = (rest & 0x7f) | 0x80;
    this.#room[this.#at++] = rest;
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes + FIELD_BYTES_MAX <= this.#room.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * (this.#room.length + bytes));
    this.#room.copy(larger, 0, 0, this.#at);
    this.#room = larger;
  }
}
