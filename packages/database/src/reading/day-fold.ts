import {
  composeStretches,
  emptyStretch,
  occupancyAtEnd,
  type Stretch,
} from '@visitor-counter/domain/occupancy';
import { type Parts, stretchOf } from '@visitor-counter/domain/occupancy-parts';
import { quarterOf } from '../occupancy/quarter.ts';
import type { LateChanges } from './late-changes.ts';
import type { SettledDay, SettledDays } from './settled-days.ts';

/** A store and when its business day began (epoch ms). */
export interface StoreDay {
  readonly storeId: number;
  readonly start: number;
}

export interface StoreOccupancy {
  readonly occupancy: number;
  /** The instant (epoch ms) of the latest crossing since the start; undefined when there is none. */
  readonly latest: number | undefined;
}

/** Up to which quarter days are over, and what was changed there. */
interface Over {
  readonly last: number;
  readonly changes: LateChanges;
}

interface QuarterPiece {
  readonly quarter: number;
  readonly stretch: Stretch;
  readonly latest: number;
}

/** The state of a store's day, composed of its quarters in their order. */
export class DayFold {
  readonly storeId: number;
  /** The first quarter to read. */
  readonly first: number;
  /** When the day began (epoch ms). */
  readonly start: number;
  readonly #known: SettledDay | undefined;
  readonly #over: Over | undefined;
  #stretch: Stretch;
  #latest: number;
  /** The same of the quarters that are over. */
  #settled: { readonly stretch: Stretch; readonly latest: number };

  constructor({ storeId, start }: StoreDay, known: SettledDay | undefined, over: Over | undefined) {
    this.storeId = storeId;
    this.first = known ? known.through + 1 : quarterOf(start);
    this.start = start;
    this.#known = known;
    this.#over = over;
    this.#stretch = known?.stretch ?? emptyStretch;
    this.#latest = known?.latest ?? Number.NEGATIVE_INFINITY;
    this.#settled = { stretch: this.#stretch, latest: this.#latest };
  }

  /** Adds the next quarter, and what was read of it in addition. */
  add({ quarter, stretch, latest }: QuarterPiece, read: Parts | undefined): void {
    this.#stretch = composeStretches(this.#stretch, stretch);
    if (read) this.#stretch = composeStretches(this.#stretch, stretchOf(read));
    this.#latest = Math.max(this.#latest, latest, read?.latest ?? Number.NEGATIVE_INFINITY);
    if (this.#over === undefined || quarter > this.#over.last) return;
    this.#settled = { stretch: this.#stretch, latest: this.#latest };
  }

  /** Keeps what is over of the day. */
  remember(settled: SettledDays): void {
    const first = quarterOf(this.start);
    if (this.#over === undefined || this.#over.last < first) return;
    const { last: through, changes } = this.#over;
    if (this.#known?.through === through) return;
    const noted = changes.count(this.storeId, first, through);
    const { origin } = changes;
    settled.set(this.storeId, { start: this.start, through, origin, changes: noted, ...this.#settled });
  }

  get result(): StoreOccupancy {
    return {
      occupancy: occupancyAtEnd(0, this.#stretch),
      latest: Number.isFinite(this.#latest) ? this.#latest : undefined,
    };
  }
}
