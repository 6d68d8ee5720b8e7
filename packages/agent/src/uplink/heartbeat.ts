import type { Heartbeat } from '@visitor-counter/wire/heartbeat-message';
import type { BeamState } from '../detector/beam-state.ts';
import type { Line } from '../detector/edge.ts';
import type { Facts } from '../detector/facts.ts';
import type { Journal } from '../journal/journal.ts';

export interface Reported {
  readonly journal: Journal;
  readonly beams: Readonly<Record<Line, BeamState>>;
  readonly facts: Facts;
  readonly version: string;
  /** Epoch ms. */
  readonly now: number;
  /** Seconds since the agent's start. */
  readonly uptime: number;
}

/** The most stretches of lost sequences in one heartbeat; a message has a bounded size. */
const mostLost = 100;

/** What the unit says about itself; `paths` is a field of its own, what was seen besides crossings. */
export function heartbeatOf({ journal, beams, facts, version, now, uptime }: Reported): Heartbeat {
  /* What the gateway must not wait for comes first. */
  const pending = journal.lost.filter(([, last]) => last > journal.acknowledged);
  const lost = [...new Set([...pending, ...journal.lost])].slice(0, mostLost);
  const paths = { paths: facts };
  return {
    at: now,
    uptime: Math.round(uptime),
    version,
    journal: journal.id,
    recorded: journal.recorded,
    acknowledged: journal.acknowledged,
    clock: 'synced',
    beams: [
      { name: 'a', ...beams.a },
      { name: 'b', ...beams.b },
    ],
    ...(lost.length > 0 && { lost: lost.map(([first, last]) => [journal.id, first, last]) }),
    ...paths,
  };
}
