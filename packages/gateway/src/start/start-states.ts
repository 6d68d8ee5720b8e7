import { connect } from '@visitor-counter/database/connect';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import { DeviceStates } from '../state/device-states.ts';
import { aboutError } from './about-error.ts';
import { applicationName, defaultTimes, type StartBrokerOptions } from './start-broker.ts';

/** How long a write may take (ms): whoever waits for it still has some of their time left then. */
const queryDeadline = 5_000;

/**
 * The states of devices, over a connection of their own: the acknowledgement of a heartbeat must not stand in line
 * behind ten thousand logins.
 */
export function startStates({
  url,
  log,
  limits,
  instruments,
}: Pick<StartBrokerOptions, 'url' | 'log' | 'limits' | 'instruments'>): {
  states: DeviceStates;
  close: () => Promise<void>;
} {
  const bounded = new BoundedLog(log);
  const database = connect(url, { applicationName, maxConnections: 1, queryDeadline });
  const states = new DeviceStates({
    pool: database.pool,
    interval: limits.stateInterval ?? defaultTimes.stateInterval,
    limits: limits.wait === undefined ? {} : { wait: limits.wait },
    onError: (error) => {
      instruments.statesFailed();
      bounded.write('warn', aboutError(error), 'device states are not written');
    },
  });
  return {
    states,
    close: async () => {
      await states.close();
      await database.close();
    },
  };
}
