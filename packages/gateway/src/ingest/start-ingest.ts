import { oneInstallation } from '@visitor-counter/database/ingest/one-installation';
import { StoringConnection } from '@visitor-counter/database/ingest/storing-connection';
import type { DeviceLimits } from '@visitor-counter/database/journals/journal-ids';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import type { Logger } from '@visitor-counter/service/logger';
import type { Backpressure } from '../backpressure/backpressure.ts';
import { errorFields } from '../log/log-fields.ts';
import type { IngestInstruments } from '../metrics/ingest-instruments.ts';
import { type CommitLimits, GroupCommitter } from './group-committer.ts';
import { limitedStore } from './store-within-limits.ts';
import { StoringStatus } from './storing-status.ts';

export interface IngestOptions {
  readonly url: string;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  readonly backpressure: Backpressure;
  readonly log: Logger;
  readonly limits: Partial<CommitLimits>;
  /** Limits for each device. */
  readonly device: DeviceLimits;
  readonly instruments: IngestInstruments;
}

/** Starts the only path by which a gateway stores crossings, over a connection of its own. */
export function startIngest({
  url,
  applicationName,
  backpressure,
  log,
  limits,
  device,
  instruments,
}: IngestOptions): {
  committer: GroupCommitter;
  storing: StoringStatus;
  close: () => Promise<void>;
} {
  const bounded = new BoundedLog(log);
  const connection = new StoringConnection(url, applicationName, oneInstallation());
  const limited = limitedStore({ connection, device, instruments });
  const committer = new GroupCommitter({
    store: limited.store,
    backpressure,
    onFailure: (error, pause) => {
      instruments.failed();
      storing.failed(error);
      bounded.write('error', { ...errorFields(error), pause }, 'messages not stored; retrying');
    },
    onCommit: (facts) => {
      storing.stored();
      instruments.committed(facts);
    },
    limits,
  });
  const storing = new StoringStatus(() => committer.pendingSince);
  return {
    committer,
    storing,
    close: async () => {
      connection.close();
      await committer.close();
      if (storing.problem() === undefined)
        await limited
          .writeUsage()
          .catch((error: unknown) => log.warn(errorFields(error), 'device usage not written'));
      connection.close();
    },
  };
}
