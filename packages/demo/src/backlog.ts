import { instantOfWallClock } from '@visitor-counter/domain/time-zone';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import type { DemoState } from './company/demo-state.ts';
import { demoStores, runningDoors } from './company/stores.ts';

const Progress = Type.Object({
  recorded: Type.Integer(),
  acknowledged: Type.Integer(),
  /** The instant of its last acknowledged crossing; undefined before the first. */
  acknowledgedUntil: Type.Optional(Type.Number()),
  /** Its beams have caught up with the present. */
  live: Type.Boolean(),
});

type Progress = Static<typeof Progress>;

/** The progress of a door that the unit reports to its supervisor about once a second while it changes. */
const progressMessage = Compile(Type.Object({ serial: Type.String(), progress: Progress }));

const nothing: Progress = { recorded: 0, acknowledged: 0, live: false };

/** How far the doors have come in delivering their past, as the unit reports it. */
export class Backlog {
  readonly #reported = new Map<string, Progress>();

  /** Receives a message of the unit. */
  readonly report = (message: unknown): void => {
    if (progressMessage.Check(message)) this.#reported.set(message.serial, message.progress);
  };

  /** The sum over all doors; one that has not reported yet has delivered nothing. `part` is their mean, 0 to 1. */
  summary(state: DemoState, now: number): { part: number; acknowledged: number; isDelivered: boolean } {
    const doors = demoStores.flatMap((store) => {
      const from = pastBegins(state, store.sid, store.timeZone);
      return runningDoors(store).map(({ serial }) => ({ from, door: this.#reported.get(serial) ?? nothing }));
    });
    return {
      part: doors.reduce((sum, { door, from }) => sum + deliveredPart(door, from, now), 0) / doors.length,
      acknowledged: doors.reduce((sum, { door }) => sum + door.acknowledged, 0),
      isDelivered: doors.every(({ door }) => isDelivered(door)),
    };
  }
}

/** Everything a door recorded up to the present has been acknowledged. */
function isDelivered({ live, recorded, acknowledged }: Progress): boolean {
  return live && acknowledged >= recorded;
}

/** The part of its past, which begins at `from`, that a door has delivered, 0 to 1, by time. */
function deliveredPart(door: Progress, from: number, now: number): number {
  if (isDelivered(door)) return 1;
  const { acknowledgedUntil = from } = door;
  return Math.min(1, Math.max(0, (acknowledgedUntil - from) / Math.max(1, now - from)));
}

function pastBegins(state: DemoState, sid: string, timeZone: string): number {
  const firstDay = state.startsOn[sid];
  const recordingBegins = firstDay ? instantOfWallClock(`${firstDay}T00:00`, timeZone) : 0;
  return Math.max(recordingBegins, state.from[sid] ?? 0);
}

/** One line: `The past  ███████░░░  68 %  251,300 crossings`. */
export function backlogLine(part: number, acknowledged: number): string {
  const width = 30;
  const full = Math.round(part * width);
  const bar = '█'.repeat(full) + '░'.repeat(width - full);
  const percent = String(Math.floor(part * 100)).padStart(3);
  return `The past  ${bar} ${percent} %  ${acknowledged.toLocaleString('en')} crossings delivered`;
}
