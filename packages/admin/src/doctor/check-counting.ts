import { readIngestLife } from '@visitor-counter/database/alerts/open-alerts';
import { type ListedDevice, listDevices } from '@visitor-counter/database/devices/list-devices';
import type { FleetState } from '@visitor-counter/database/fleet/fleet-state';
import { type Lag, readLag } from '@visitor-counter/database/projection/projection';
import type { Database } from '@visitor-counter/database/sql/connect';
import { ageText, counted } from '../command/text.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import type { Installation } from './installation.ts';

/** Checks that crossings are stored, that occupancy contains them, and that all units report. */
export async function checkCounting(
  db: Database,
  fleet: FleetState,
  installation: Installation,
): Promise<Finding[]> {
  return [
    await checkIngest(db, installation),
    judgeLag(await readLag(db), installation),
    judgeUnits(await listDevices(db.kysely), Date.now(), installation),
    judgeGaps(fleet, installation),
  ];
}

async function checkIngest({ kysely }: Database, { start, log }: Installation): Promise<Finding> {
  const { alive, seenAt } = await readIngestLife(kysely);
  if (alive) return ok('ingest', 'crossings can be stored');
  const since = Number.isFinite(seenAt) ? `for ${ageText(Date.now() - seenAt)}` : 'yet';
  const finding = `no gateway has been able to store crossings ${since}`;
  return problem('ingest', finding, `Is the server running? ${start}. If that fails: ${log}`);
}

function judgeLag({ marks, lag }: Lag, { log }: Installation): Finding {
  if (lag < 5_000)
    return ok('projection', marks === 0 ? 'up to date' : `${(lag / 1_000).toFixed(1)} s behind`);
  const finding = `occupancy is ${ageText(lag)} behind: ${counted(marks, 'change')} not in it`;
  const advice = `Look for "the projection cannot be updated" of the role projector: ${log}`;
  return warning('projection', finding, advice);
}

/** A unit that is not connected for so long is silent (ms): heartbeats come every minute. */
const silentAfter = 15 * 60_000;
const mostShown = 5;

function judgeUnits(devices: readonly ListedDevice[], now: number, { command }: Installation): Finding {
  const expected = devices.filter(({ retiredAt, secretRevokedAt }) => !retiredAt && !secretRevokedAt);
  const silent = expected.filter(({ online, lastActivityAt, registeredAt }) => {
    return !online && now - (lastActivityAt ?? registeredAt) >= silentAfter;
  });
  if (expected.length === 0) return ok('units', 'none is registered');
  if (silent.length === 0) return ok('units', `none of ${expected.length} is silent`);
  const names = silent.map(({ serial, lastActivityAt }) => {
    return `${serial} (${lastActivityAt ? `for ${ageText(now - lastActivityAt)}` : 'never seen'})`;
  });
  const list = names.slice(0, mostShown).join(', ') + (names.length > mostShown ? ', …' : '');
  const advice = `Check power and network of the unit; see: ${command} device list --trouble`;
  return warning('units', `${silent.length} of ${expected.length} silent: ${list}`, advice);
}

/** Judges crossings that units have recorded and that are not in the database. */
function judgeGaps({ missing, lost }: Pick<FleetState, 'missing' | 'lost'>, { log }: Installation): Finding {
  if (missing > 0) {
    const finding = `${counted(missing, 'acknowledged crossing')} not in the database`;
    const advice = `The gateway requests them. Look for "crossings missing in the database": ${log}`;
    return warning('crossings', finding, advice);
  }
  if (lost === 0) return ok('crossings', 'none is missing');
  const finding = `${counted(lost, 'crossing')} found lost in the last 24 hours`;
  return warning('crossings', finding, `Look for "crossings lost", with the names of the units: ${log}`);
}
