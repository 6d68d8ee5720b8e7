import { encodeCrossings } from '@visitor-counter/wire/crossings-message';
import { connectLeanUnit } from '../load/lean-unit.ts';
import { Timetable } from '../load/timetable.ts';
import type { Unit } from '../load/unit.ts';
import { doorsPerStore } from '../shared/company.ts';

/** The interval between two crossings of a store, and the resolution of timers (ms). */
const every = 1_000;
const tick = 1;

/**
 * People who enter stores, one per second and store, without exits, so the occupancy of a store is its number of counted
 * crossings. Each store has one unit, so its crossings are stored in order.
 */
export class People {
  /** When each person entered, by store (`performance.now()`). */
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
      units: units.length,
      every,
      begin: performance.now(),
      random: Math.random,
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

  /** Stops all people. */
  stop(): void {
    clearInterval(this.#timer);
  }

  [Symbol.dispose](): void {
    this.stop();
    for (const unit of this.#units) unit.end();
  }
}
