import type { Stretch } from '@visitor-counter/domain/occupancy';
import { instantIn } from '../sql/instant.ts';

/** Byte offsets in a row: the store and the number of the quarter, the stretch, the latest instant. */
const [quarterAt, sumAt, floorAt, peakSumAt, peakFloorAt, latestAt, rowLength] = [4, 8, 12, 16, 20, 24, 32];

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

  stretch(index: number): Stretch {
    const row = index * rowLength;
    const sum = this.#view.getInt32(row + sumAt);
    return {
      sum: sum === noSum ? Number.NEGATIVE_INFINITY : sum,
      floor: this.#view.getInt32(row + floorAt),
      peakSum: this.#view.getInt32(row + peakSumAt),
      peakFloor: this.#view.getInt32(row + peakFloorAt),
    };
  }

  /** Epoch ms. */
  latest(index: number): number {
    return instantIn(this.#view, index * rowLength + latestAt);
  }
}

/** The bytes of a row. Few values, since each costs the database; only a sum can be negative. */
export const stateBytes = `
  int8send(store_id::bigint << 32 | quarter) || int8send(coalesce(sum, ${noSum})::bigint << 32 | floor)
    || int8send(peak_sum::bigint << 32 | peak_floor)
    || timestamptz_send(latest_at)`;
