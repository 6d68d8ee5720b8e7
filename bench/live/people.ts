import { encodeCrossings } from '@visitor-counter/wire/crossings-message';
import { connectLeanUnit } from '../load/lean-unit.ts';
import { Timetable } from '../load/timetable.ts';
import type { Unit } from '../load/unit.ts';
import { doorsPerStore } from '../shared/company.ts';

/** Between two crossings of a store, and the resolution of timers (ms). */
const every = 1_000;
const tick = 1;

/**
 * People who walk into stores, one a second into each, and nobody out: so the number of a store tells how many of
 * its crossings are counted. One unit in each store, for the crossings of a store to be stored in their order.
 */
export class People {
  /** When each came in, by store (`performance.now()`). */
  readonly cameIn: readonly (readonly number[])[];
  readonly #units: readonly Unit[];
  readonly #timer: NodeJS.Timeout;

  static async connect(port: number, stores: number): Promise<People> {
    const units: Unit[] = [];
    for (let store = 0; store < stores; store += 1) {
      units.push(await connectLeanUnit(port, store * doorsPerStore));
    }
    return new People(units);
  }

  constructor(units: readonly Unit[]) {
    const cameIn = units.map((): number[] => []);
    const timetable = new Timetable({
      ...{ units: units.length, every, begin: performance.now(), random: Math.random },
    });
    this.cameIn = cameIn;
    this.#units = units;
    this.#timer = setInterval(() => {
      timetable.takeDue(performance.now(), (store, dueAt) => {
        const first = cameIn[store]?.push(dueAt) ?? 0;
        const crossings = [{ at: Date.now(), direction: 1 as const }];
        units[store]?.send(
          { channel: 'crossings', dueAt },
          encodeCrossings({ journal: 'live', first, crossings }),
        );
      });
    }, tick);
  }

  /** Nobody comes any more. */
  stop(): void {
    clearInterval(this.#timer);
  }

  [Symbol.dispose](): void {
    this.stop();
    for (const unit of this.#units) unit.end();
  }
}
