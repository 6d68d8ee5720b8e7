import { instantOfWallClock } from '@visitor-counter/domain/time-zone';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { DemoState } from './company/demo-state.ts';
import { demoStores } from './company/stores.ts';
import type { UnitProgress } from './terminal/backlog.ts';

/** The progress that a unit reports to its supervisor about once a second while it changes. */
const ProgressMessage = Compile(
  Type.Object({
    progress: Type.Object({
      recorded: Type.Integer(),
      acknowledged: Type.Integer(),
      acknowledgedUntil: Type.Optional(Type.Number()),
      live: Type.Boolean(),
    }),
  }),
);

type Reported = Omit<UnitProgress, 'from'>;

/** Collects what the units report. */
export interface UnitsProgress {
  report(serial: string, message: unknown): void;
  /** Every unit of the demonstration; one that has not reported yet has delivered nothing. */
  units(state: DemoState): UnitProgress[];
}

export function unitsProgress(): UnitsProgress {
  const reported = new Map<string, Reported>();
  return {
    report: (serial, message) => {
      if (ProgressMessage.Check(message)) reported.set(serial, message.progress);
    },
    units: (state) =>
      demoStores.flatMap((store) => {
        const from = pastBegins(state, store.sid, store.timeZone);
        return store.doors.map(({ serial }) => ({ ...(reported.get(serial) ?? nothing), from }));
      }),
  };
}

const nothing: Reported = { recorded: 0, acknowledged: 0, live: false };

function pastBegins(state: DemoState, sid: string, timeZone: string): number {
  const firstDay = state.startsOn[sid];
  const recordingBegins = firstDay ? instantOfWallClock(`${firstDay}T00:00`, timeZone) : 0;
  return Math.max(recordingBegins, state.from[sid] ?? 0);
}
