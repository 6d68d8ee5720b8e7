import type { BoundedLog } from '@visitor-counter/service/bounded-log';
import { isUnitChannel, parseTopic } from '@visitor-counter/wire/topics';
import type { Sender } from '../devices/sender.ts';
import type { Outcome } from '../ingest/ingest-result.ts';
import { NotStored, type Receive, type Received } from '../ingest/receive.ts';
import { aboutError } from '../log/error-fields.ts';
import { shown } from '../log/shortened.ts';
import type { AccessInstruments } from '../metrics/gateway-instruments.ts';
import type { Delivered } from './broker-connection.ts';
import type { Devices } from './known-devices.ts';
import { hold } from './retry-until-ended.ts';

export interface ConsumerOptions {
  readonly devices: Devices;
  readonly receive: Receive;
  readonly access: AccessInstruments;
  readonly log: BoundedLog;
}

/**
 * Deals with one message and resolves when it may be acknowledged to the broker. While the database is away
 * it holds the message; it rejects when its connection has ended.
 *
 * Who a message is from is what its topic says: who may publish there is decided by the broker. What comes
 * from unknown serial numbers is acknowledged and dropped. So is what the database refuses for good: the
 * unit is not told that it is committed, and what can never be stored must not stop what is behind it.
 */
export function consumer({
  devices,
  receive,
  access,
  log,
}: ConsumerOptions): (message: Delivered) => Promise<void> {
  const onError = (error: unknown) => {
    if (!(error instanceof NotStored))
      log.write('warn', aboutError(error), 'message not stored yet; retrying');
  };
  return async ({ topic, payload, ended }) => {
    const parts = parseTopic(topic);
    if (parts === undefined || !isUnitChannel(parts.channel)) {
      access.packetRefused('topic');
      log.write('warn', { topic: shown(topic) }, 'message dropped: not a topic of a unit');
      return;
    }
    const { serial, channel } = parts;
    await hold(
      async () => {
        const device = await devices.find(serial);
        if (device === undefined) {
          access.packetRefused('unknown serial');
          log.write('warn', { serial, channel }, 'message dropped: unknown serial number');
          return;
        }
        const sender = { deviceId: device.id, serial, generation: device.generation, heldBytes: 0 };
        const outcome = await stored(receive, sender, { channel, topic, payload });
        if (outcome === 'unstorable') devices.forget(serial);
      },
      ended,
      onError,
    );
  };
}

/** Rejects where trying again may help. */
function stored(receive: Receive, sender: Sender, message: Received): Promise<Outcome> {
  return new Promise((resolve, reject) =>
    receive(sender, message, (error) => {
      if (error === undefined) resolve('stored');
      else if (error instanceof NotStored && isFinal(error.outcome)) resolve(error.outcome);
      else reject(error);
    }),
  );
}

function isFinal(outcome: Outcome): boolean {
  return outcome === 'full' || outcome === 'unstorable';
}
