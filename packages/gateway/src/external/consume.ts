import type { BoundedLog } from '@visitor-counter/service/bounded-log';
import { isUnitChannel, parseTopic } from '@visitor-counter/wire/topics';
import { NotStored } from '../ingest/ingest-result.ts';
import type { Receiver } from '../ingest/receive.ts';
import { errorFields, shortened } from '../log/log-fields.ts';
import type { AccessInstruments } from '../metrics/gateway-instruments.ts';
import type { Delivered } from './broker-session.ts';
import type { KnownDevices } from './known-devices.ts';
import { retryUntilEnded } from './retry-until-ended.ts';

export interface ConsumerOptions {
  readonly devices: KnownDevices;
  readonly receiver: Receiver;
  readonly access: AccessInstruments;
  readonly log: BoundedLog;
}

/**
 * Stores one message, and resolves when it may be acknowledged to the broker. Retries while the database is
 * unavailable; rejects when the connection has ended.
 *
 * The topic determines the device: the broker decides who may publish to it. Messages of unknown serial numbers are
 * acknowledged and dropped. So are messages that can never be stored, because they must not block the messages after
 * them; their units get no `committed` message.
 */
export function consumer({
  devices,
  receiver,
  access,
  log,
}: ConsumerOptions): (message: Delivered) => Promise<void> {
  const onError = (error: unknown) => {
    if (!(error instanceof NotStored))
      log.write('warn', errorFields(error), 'message not stored yet; retrying');
  };
  return async ({ topic, payload, ended }) => {
    const parts = parseTopic(topic);
    if (parts === undefined || !isUnitChannel(parts.channel)) {
      access.packetRefused('topic');
      log.write('warn', { topic: shortened(topic) }, 'message dropped: not a topic of a unit');
      return;
    }
    const { serial, channel } = parts;
    const store = async () => {
      const device = await devices.find(serial);
      if (device === undefined) {
        access.packetRefused('unknown serial');
        log.write('warn', { serial, channel }, 'message dropped: unknown serial number');
        return;
      }
      const sender = { deviceId: device.id, serial, generation: device.generation };
      const result = await receiver.receive(sender, { channel, topic, payload });
      if (result === 'unstorable') devices.forget(serial);
      else if (result !== 'stored' && result !== 'full') throw new NotStored(result);
    };
    await retryUntilEnded(store, ended, onError);
  };
}
