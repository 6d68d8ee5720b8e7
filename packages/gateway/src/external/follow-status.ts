import { decodeStatus } from '@visitor-counter/wire/status-message';
import { parseTopic } from '@visitor-counter/wire/topics';
import type { DeviceStates } from '../devices/device-states.ts';
import type { Delivered } from './broker-session.ts';
import type { KnownDevices } from './known-devices.ts';
import type { OnlineUnits } from './online-units.ts';
import { retryUntilEnded } from './retry-until-ended.ts';

export interface StatusOptions {
  readonly devices: KnownDevices;
  readonly states: DeviceStates;
  readonly units: OnlineUnits;
  /** Handles messages that are no status. */
  readonly otherwise: (message: Delivered) => Promise<void>;
  /** The database is unavailable; the lookup is retried. */
  readonly onError: (error: unknown) => void;
}

/**
 * Records which units are online.
 *
 * Every gateway receives the statuses of all units, in order and over one connection: over several connections, the last
 * will of an old connection could arrive after the `online` of the new one. An `offline` may be a last will, and a
 * retained message is old: neither counts as activity of the unit.
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
      /* An empty message clears a retained status; it is no error. */
      return message.payload.length === 0 ? undefined : otherwise(message);
    }
    const online = status === 'online';
    units.note(serial, online);
    const device = await retryUntilEnded(() => devices.find(serial), message.ended, onError);
    if (device === undefined) return;
    const at = Date.now();
    states.note(device.id, {
      ...(online && !message.retained && { activityAt: at }),
      status: { online, at, generation: device.generation },
    });
  };
}
