/** Type codes of the compact protocol of Thrift. */
export const TYPE = { true: 1, false: 2, i32: 5, i64: 6, binary: 8, list: 9, struct: 12 } as const;

const STOP = 0;
/** The number of items of a longer list follows its first byte. */
const MAX_SHORT_LIST_ITEMS = 14;
const INITIAL_BYTES = 8 * 1024;
/** The maximum size of a field without its text or bytes. */
const MAX_FIELD_BYTES = 24;

/** Writes a Thrift struct. Fields are written in the order of their ids, which differ by 15 at most. Fields without a value are omitted. */
export class CompactWriter {
  #buffer = Buffer.allocUnsafeSlow(INITIAL_BYTES);
  #at = 0;
  #last: number;

  /** `last` is the id of the field before the first one. */
  constructor(last = 0) {
    this.#last = last;
  }

  i32(field: number, value: number | undefined): void {
    if (value === undefined) return;
    this.#field(field, TYPE.i32);
    this.#varint(value * 2);
  }

  /** Integers from 0 to 2⁵², such as lengths and positions in a file. */
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

  /** The header of a list; its items follow. */
  list(field: number, type: number, items: number): void {
    this.#field(field, TYPE.list);
    this.#buffer[this.#at++] = (Math.min(items, MAX_SHORT_LIST_ITEMS + 1) << 4) | type;
    if (items > MAX_SHORT_LIST_ITEMS) this.#varint(items);
  }

  /** Writes an item of a list. */
  item(value: number | string | Uint8Array): void {
    if (typeof value === "number") {
      this.#reserve(0);
      return this.#varint(value * 2);
    }
    const bytes = typeof value === "string" ? Buffer.byteLength(value) : value.length;
    this.#reserve(bytes);
    this.#varint(bytes);
    if (typeof value === "string") this.#buffer.write(value, this.#at);
    else this.#buffer.set(value, this.#at);
    this.#at += bytes;
  }

  /** Writes a struct as an item of a list. */
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
    this.#buffer[this.#at++] = STOP;
  }

  /** Appends fields that another writer has written; `last` is the id of the last one. */
  fields(bytes: Uint8Array, last: number): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#at);
    this.#at += bytes.length;
    this.#last = last;
  }

  /** The bytes written so far. */
  bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#at);
  }

  #field(field: number, type: number): void {
    this.#reserve(0);
    this.#buffer[this.#at++] = ((field - this.#last) << 4) | type;
    this.#last = field;
  }

  #varint(value: number): void {
    let rest = value;
    for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) this.#buffer[this.#at++] = (rest & 0x7f) | 0x80;
    this.#buffer[this.#at++] = rest;
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes + MAX_FIELD_BYTES <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * (this.#buffer.length + bytes));
    this.#buffer.copy(larger, 0, 0, this.#at);
    this.#buffer = larger;
  }
}
