import { type IngestLife, readIngestLife } from '@visitor-counter/database/alerts/ingest-life';
import { type ListedDevice, listDevices } from '@visitor-counter/database/devices/list-devices';
import type { FleetState } from '@visitor-counter/database/fleet/fleet-state';
import { type Lag, readLag } from '@visitor-counter/database/projection/projection';
import type { Database } from '@visitor-counter/database/sql/connect';
import { ageText } from '../command/text.ts';
import { counted, type Finding, type Installation, ok, problem, warning } from './finding.ts';

/** Checks that crossings are stored, that occupancy contains them, and that all units report. */
export async function checkCounting(db: Database, installation: Installation): Promise<Finding[]> {
  const [life, lag, devices] = [
    await readIngestLife(db.kysely),
    await readLag(db),
    await listDevices(db.kysely),
  ];
  const now = Date.now();
  return [
    judgeIngest(life, now, installation),
    judgeLag(lag, installation),
    judgeUnits(devices, now, installation),
  ];
}

function judgeIngest({ alive, seenAt }: IngestLife, now: number, { start, log }: Installation): Finding {
  if (alive) return ok('ingest', 'crossings can be stored');
  const since = Number.isFinite(seenAt) ? `for ${ageText(now - seenAt)}` : 'yet';
  return problem(
    'ingest',
    `no gateway has been able to store crossings ${since}`,
    `Is the server running? ${start}. If that fails: ${log}`,
  );
}

/** How late occupancy may be without a warning, and how late without a problem (ms). */
const lateAfter = 5_000;
const stuckAfter = 60_000;

export function judgeLag({ marks, lag }: Lag, { log }: Installation): Finding {
  if (lag < lateAfter)
    return ok('projection', marks === 0 ? 'up to date' : `${(lag / 1_000).toFixed(1)} s behind`);
  const finding = `occupancy is ${ageText(lag)} behind: ${counted(marks, 'change')} not in it`;
  const advice = `A process with the role projector derives it. Look for "the projection cannot be updated": ${log}`;
  return (lag < stuckAfter ? warning : problem)('projection', finding, advice);
}

/** Judges crossings that units have recorded and that are not in the database. */
export function judgeGaps(
  { missing, lost }: Pick<FleetState, 'missing' | 'lost'>,
  { log }: Installation,
): Finding {
  if (missing > 0) {
    const finding = `${counted(missing, 'acknowledged crossing')} ${missing === 1 ? 'is' : 'are'} not in the database`;
    const advice = `The gateway requests them from the units, which it names. Look for "crossings missing in the database": ${log}`;
    return warning('crossings', finding, advice);
  }
  if (lost === 0) return ok('crossings', 'none is missing');
  const advice = `The units no longer have them. Look for "crossings lost", with the names of the units: ${log}`;
  return warning('crossings', `${counted(lost, 'crossing')} found lost in the last 24 hours`, advice);
}

type WatchedDevice = Pick<
  ListedDevice,
  'serial' | 'online' | 'registeredAt' | 'lastActivityAt' | 'retiredAt' | 'secretRevokedAt'
>;

/** A unit that is not connected for so long is silent (ms): heartbeats come every minute. */
const silentAfter = 15 * 60_000;
const shown = 5;

export function judgeUnits(
  devices: readonly WatchedDevice[],
  now: number,
  { command }: Installation,
): Finding {
  const expected = devices.filter(({ retiredAt, secretRevokedAt }) => !retiredAt && !secretRevokedAt);
  const silent = expected.filter(({ online, lastActivityAt, registeredAt }) => {
    return !online && now - (lastActivityAt ?? registeredAt) >= silentAfter;
  });
  if (expected.length === 0) return ok('units', 'none is registered');
  if (silent.length === 0) return ok('units', `none of ${expected.length} is silent`);
  const names = silent.slice(0, shown).map(({ serial, lastActivityAt }) => {
    const since = lastActivityAt ? `for ${ageText(now - lastActivityAt)}` : 'never seen';
    return `${serial} (${since})`;
  });
  const list = [...names, ...(silent.length > shown ? ['…'] : [])].join(', ');
  const advice = `Check power and network of the unit; see: ${command} device list --trouble`;
  return warning('units', `${silent.length} of ${expected.length} silent: ${list}`, advice);
}

/** Judges the units whose logins a gateway refuses, as its remark names them. */
export function judgeLogins(refused: string | undefined, { command }: Installation): Finding[] {
  if (refused === undefined) return [];
  const advice = `Wrong secret, as after a restore: ${command} device rotate SERIAL --secret the one that the unit has, or enrol it again: ${command} device replace SERIAL. Revoked: the same, if it was by mistake. Unknown: add it again, or disconnect that unit.`;
  return [warning('logins', refused, advice)];
}
