import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findOwner } from '@visitor-counter/database/configuration/company';
import { generateSecret } from '@visitor-counter/database/credentials/credentials';
import { installationId } from '@visitor-counter/database/fleet/database-state';
import type { Database } from '@visitor-counter/database/sql/connect';
import { writeAtomically } from '@visitor-counter/service/files';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { type DemoStore, demoCompany, demoStores, firstRecordedDay, startOfPast } from './stores.ts';

/** The state that is chosen at the first start and stored: when the recording is played, and the secrets. */
const DemoState = Type.Object({
  /** By store: the local date on which day 0 of the recording is played. */
  startsOn: Type.Record(Type.String(), Type.String()),
  /** By store: the instant (epoch ms) at which its units begin to record. */
  from: Type.Record(Type.String(), Type.Number()),
  /** Whether the database had the company before, and so the months before `from`. */
  hasOlderMonths: Type.Optional(Type.Boolean()),
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
 * The state stored in the folder of this installation, created at the first start, and that folder. If the database has
 * the company but the folder was deleted, the units' journals are deleted too: the units begin at `now`, since they would
 * otherwise deliver the same people again under new journals.
 */
export async function keptState(
  dataFolder: string,
  { kysely }: Database,
  now: number,
): Promise<{ readonly folder: string; readonly state: DemoState; readonly isFirstStart: boolean }> {
  const folder = join(dataFolder, 'demo', await installationId(kysely));
  const file = join(folder, 'state.json');
  const kept = await readFile(file, 'utf8').catch(() => undefined);
  if (kept !== undefined) return { folder, state: demoState.Parse(JSON.parse(kept)), isFirstStart: false };
  const state = firstState(now, (await findOwner(kysely, demoCompany)) !== undefined);
  await mkdir(folder, { recursive: true });
  await writeAtomically(file, JSON.stringify(state, null, 2));
  return { folder, state, isFirstStart: true };
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
    hasOlderMonths: companyExists,
    secrets: Object.fromEntries(doors.map(({ serial }) => [serial, generateSecret()])),
    token: generateSecret(),
    key: generateSecret(),
    staff: generateSecret(),
  };
}
