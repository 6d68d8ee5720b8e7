import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateSecret } from '@visitor-counter/database/credentials/secret';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { firstRecordedDay, startOfPast } from './recording-days.ts';
import { type DemoStore, demoStores } from './stores.ts';

/** The state that is chosen at the first start and stored: when the recording is played, and the secrets. */
const DemoState = Type.Object({
  /** By store: the local date on which day 0 of the recording is played. */
  startsOn: Type.Record(Type.String(), Type.String()),
  /** By store: the instant (epoch ms) at which its units begin to record. */
  from: Type.Record(Type.String(), Type.Number()),
  /** By serial number. */
  secrets: Type.Record(Type.String(), Type.String()),
  token: Type.String(),
  key: Type.String(),
  /** The credential for the page. */
  staff: Type.String(),
});

export type DemoState = Static<typeof DemoState>;

const demoState = Compile(DemoState);

/**
 * The state stored in `folder`, created at the first start. If the database has the company but the folder
 * was deleted, the units' journals are deleted too: the units begin at `now`, since they would otherwise
 * deliver the same people again under new journals.
 */
export async function keptState(folder: string, now: number, companyExists: boolean): Promise<DemoState> {
  const file = join(folder, 'state.json');
  const kept = await readFile(file, 'utf8').catch(() => undefined);
  const state =
    kept === undefined ? firstState(now, companyExists) : { staff: generateSecret(), ...JSON.parse(kept) };
  await mkdir(folder, { recursive: true });
  await writeFile(`${file}.new`, JSON.stringify(state, null, 2), { mode: 0o600, flush: true });
  await rename(`${file}.new`, file);
  return demoState.Parse(state);
}

function firstState(now: number, companyExists: boolean): DemoState {
  const byStore = <Value>(value: (store: DemoStore) => Value) =>
    Object.fromEntries(demoStores.map((store) => [store.sid, value(store)]));
  const doors = demoStores.flatMap((store) => store.doors);
  return {
    startsOn: byStore(({ timeZone }) => firstRecordedDay(now, timeZone)),
    from: byStore(({ timeZone, past }) => {
      if (companyExists) return now;
      return past === 'recording' ? 0 : startOfPast(now, timeZone, past);
    }),
    secrets: Object.fromEntries(doors.map(({ serial }) => [serial, generateSecret()])),
    token: generateSecret(),
    key: generateSecret(),
    staff: generateSecret(),
  };
}
