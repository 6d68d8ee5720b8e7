import { connect, type Database } from '@visitor-counter/database/sql/connect';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import { DeviceStates } from '../devices/device-states.ts';
import { errorFields } from '../log/log-fields.ts';
import {
  applicationName,
  defaultTimes,
  type StartBrokerOptions,
  statementDeadlines,
} from './start-broker.ts';

/**
 * The states of devices, over a connection of their own: the acknowledgement of a heartbeat must not wait for
 * ten thousand logins.
 */
export function startStates({
  url,
  log,
  limits,
  instruments,
}: Pick<StartBrokerOptions, 'url' | 'log' | 'limits' | 'instruments'>): {
  states: DeviceStates;
  pool: Database['pool'];
  close: () => Promise<void>;
} {
  const bounded = new BoundedLog(log);
  const database = connect(url, { applicationName, maxConnections: 1, ...statementDeadlines });
  const states = new DeviceStates({
    pool: database.pool,
    interval: limits.stateInterval ?? defaultTimes.stateInterval,
    limits: limits.wait === undefined ? {} : { wait: limits.wait },
    onError: (error) => {
      instruments.statesFailed();
      bounded.write('warn', errorFields(error), 'device states not written');
    },
  });
  return {
    states,
    pool: database.pool,
    close: async () => {
      await states.close();
      await database.close();
    },
  };
}
