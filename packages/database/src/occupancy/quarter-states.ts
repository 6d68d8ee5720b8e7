import { instantIn } from '../sql/instant.ts';

/** Byte offsets in a row: the store and the number of the quarter, sum and floor, the latest instant. */
const [quarterAt, sumAt, floorAt, latestAt, rowLength] = [4, 8, 12, 16, 24];

/** Encodes a sum of -Infinity. */
const noSum = -2_147_483_648;

/**
 * States of quarters that have a crossing or a correction, read directly from the bytes of the answer: there are
 * thousands.
 */
export class QuarterStates {
  readonly length: number;
  readonly #view: DataView;

  /** `bytes`: rows of `stateBytes`, concatenated. */
  constructor(bytes: Buffer) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.length = bytes.byteLength / rowLength;
  }

  storeId(index: number): number {
    return this.#view.getInt32(index * rowLength);
  }

  quarter(index: number): number {
    return this.#view.getInt32(index * rowLength + quarterAt);
  }

  sum(index: number): number {
    const sum = this.#view.getInt32(index * rowLength + sumAt);
    return sum === noSum ? Number.NEGATIVE_INFINITY : sum;
  }

  floor(index: number): number {
    return this.#view.getInt32(index * rowLength + floorAt);
  }

  /** Epoch ms. */
  latest(index: number): number {
    return instantIn(this.#view, index * rowLength + latestAt);
  }
}

/** The bytes of a row. Few values, since each costs the database; a quarter and a floor are never negative. */
export const stateBytes = `
  int8send(store_id::bigint << 32 | quarter) || int8send(coalesce(sum, ${noSum})::bigint << 32 | floor)
    || timestamptz_send(latest_at)`;
