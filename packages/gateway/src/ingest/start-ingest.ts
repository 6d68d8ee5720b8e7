import { oneInstallation } from '@visitor-counter/database/ingest/one-installation';
import { StoringConnection } from '@visitor-counter/database/ingest/storing-connection';
import type { DeviceLimits } from '@visitor-counter/database/journals/device-limits';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import type { Logger } from '@visitor-counter/service/logger';
import type { Gate } from '../backpressure/backpressure.ts';
import { aboutError } from '../log/error-fields.ts';
import type { IngestInstruments } from '../metrics/ingest-instruments.ts';
import { type CommitLimits, GroupCommitter } from './group-committer.ts';
import { limitedStore } from './store-within-limits.ts';
import { StoringProblem } from './storing-status.ts';

export interface IngestOptions {
  readonly url: string;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  readonly gate: Gate;
  readonly log: Logger;
  readonly limits: Partial<CommitLimits>;
  /** What is stored of one device at most. */
  readonly device: DeviceLimits;
  readonly instruments: IngestInstruments;
}

/** The one path by which crossings get into the database, over a connection of its own. */
export function startIngest({
  url,
  applicationName,
  gate,
  log,
  limits,
  device,
  instruments,
}: IngestOptions): {
  committer: GroupCommitter;
  /** Whether messages are stored. */
  storing: StoringProblem;
  close: () => Promise<void>;
} {
  const bounded = new BoundedLog(log);
  const connection = new StoringConnection(url, applicationName, oneInstallation());
  const limited = limitedStore({ connection, device, instruments });
  const committer = new GroupCommitter({
    store: limited.store,
    gate,
    onAway: (error, pause) => {
      instruments.failed();
      storing.failed(error);
      bounded.write('error', { ...aboutError(error), pause }, 'nothing is stored; trying again');
    },
    onCommit: (facts) => {
      storing.stored();
      instruments.committed(facts);
    },
    limits,
  });
  const storing = new StoringProblem(() => committer.waitingSince);
  return {
    committer,
    storing,
    close: async () => {
      connection.close();
      await committer.close();
      if (storing.current() === undefined)
        await limited
          .writeUsage()
          .catch((error: unknown) => log.warn(aboutError(error), 'device usage not written'));
      connection.close();
    },
  };
}
