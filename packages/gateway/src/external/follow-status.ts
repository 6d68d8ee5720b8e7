import { decodeStatus } from '@visitor-counter/wire/status-message';
import { parseTopic } from '@visitor-counter/wire/topics';
import type { DeviceStates } from '../devices/device-states.ts';
import type { Delivered } from './broker-connection.ts';
import type { Devices } from './known-devices.ts';
import type { OnlineUnits } from './online-units.ts';
import { hold } from './retry-until-ended.ts';

export interface StatusOptions {
  readonly devices: Devices;
  readonly states: DeviceStates;
  readonly units: OnlineUnits;
  /** What is done with everything that is no status. */
  readonly otherwise: (message: Delivered) => Promise<void>;
  /** The database is away; it is tried again. */
  readonly onError: (error: unknown) => void;
}

/**
 * Records which units are online.
 *
 * Every gateway follows the statuses of all units, in order and over one connection: spread over several,
 * the last will of an old connection could be taken after the `online` of the new one. An `offline` may be
 * a last will, and a retained message is an old one: neither says that the unit is active.
 */
export function statusFollower({
  devices,
  states,
  units,
  otherwise,
  onError,
}: StatusOptions): (message: Delivered) => Promise<void> {
  return async (message) => {
    const { serial } = parseTopic(message.topic) ?? {};
    const status = decodeStatus(message.payload);
    if (serial === undefined || status === undefined) {
      /* A status that is cleared is an empty message, and nobody's mistake. */
      return message.payload.length === 0 ? undefined : otherwise(message);
    }
    const online = status === 'online';
    units.note(serial, online);
    const device = await hold(() => devices.find(serial), message.ended, onError);
    if (device === undefined) return;
    const at = Date.now();
    states.note(device.id, {
      ...(online && !message.retained && { activityAt: at }),
      status: { online, at, generation: device.generation },
    });
  };
}
