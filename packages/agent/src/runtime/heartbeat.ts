import type { Heartbeat } from '@visitor-counter/wire/heartbeat-message';
import { rangesToReport } from '../journal/lost-ranges.ts';
import { machineState, version } from '../machine/machine-state.ts';
import type { Door } from '../recording/door.ts';

/** The most ranges of lost sequences in one heartbeat, since a message has a bounded size. */
const mostLost = 200;

/**
 * The unit's report about itself; `sent` is the number of earlier heartbeats: successive ones
 * name the other journals in turn. Fields in addition to those of
 * `HeartbeatMessage`: `paths`, the facts that were detected in addition to crossings; `lines`, the state of real lines, of
 * which the server reads `problem`, and `flickering`; `alone` and `blockedMs` of each beam.
 */
export function heartbeatOf(
  { config, clock, journal, tally, beams, detector }: Omit<Door, 'uplink'>,
  answers: Pick<Heartbeat, 'config' | 'commands' | 'update'>,
  sent: number,
): Heartbeat {
  const lost = rangesToReport(journal.lost, sent, mostLost);
  const { storageProblem, held } = journal;
  const others = journal.journals.filter(({ name, recorded }) => name !== journal.id && recorded > 0);
  const other = others[sent % others.length];
  const { facts: paths, flickering } = detector;
  const lines = { ...beams.health, ...(flickering && { flickering }) };
  const observed = { paths, ...((beams.health || flickering) && { lines }) };
  return {
    at: clock.now(),
    uptime: Math.round(process.uptime()),
    version,
    journal: journal.id,
    recorded: journal.recorded,
    acknowledged: journal.acknowledged,
    /* The edges of a recording have their own instants and need no clock. */
    clock: clock.synced || beams.stampClock === 'epoch' ? 'synced' : 'unsynced',
    beams: Object.entries(detector.beams).map(([name, beam]) => ({
      name,
      ...beam,
      since: clock.instantAt(beam.since, beams.stampClock).at,
    })),
    ...machineState(config.journal),
    ...(lost.length > 0 && { lost: lost.map((range): [string, number, number] => [...range]) }),
    ...answers,
    ...(storageProblem && { storage: storageProblem.problem }),
    ...(held > 0 && { held }),
    ...(other && {
      volatile: { journal: other.name, recorded: other.recorded, acknowledged: other.acknowledged },
    }),
    ...(tally.givenUp > 0 && { givenUp: tally.givenUp }),
    ...observed,
  };
}
