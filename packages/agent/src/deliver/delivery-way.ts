import { isClockSynchronised } from '@visitor-counter/service/clock-synchronised';
import { encodeHeartbeat, type Heartbeat } from '@visitor-counter/wire/heartbeat-message';
import { topic } from '@visitor-counter/wire/topics';
import type { MqttClient } from 'mqtt';
import { monotonicNow } from '../clock/time.ts';
import type { BootTime } from '../clock/unit-clock.ts';
import { askBootTime, relay } from '../local/ask-agent.ts';
import { version } from '../machine/machine-state.ts';
import { ConnectionLost, connect } from '../uplink/connect.ts';
import { type Account, defaultUplinkSettings } from '../uplink/uplink-settings.ts';

/** How the crossings of an old journal reach the server. */
export interface DeliveryWay {
  /** Publishes a message of crossings; resolves with whether it was acknowledged, false without a connection. */
  send(crossings: string): Promise<boolean>;
  /** Publishes a heartbeat that has only these fields, about a journal of another unit; resolves like `send`. */
  report(report: Pick<Heartbeat, 'lost' | 'volatile'>): Promise<boolean>;
  /** When the present boot of this machine began; undefined while that is not known. */
  bootTime(): Promise<BootTime | undefined>;
  close(): Promise<void>;
}

/** Delivers through the running agent of this door, since the server accepts one connection of each device. */
export function throughAgent(journal: string): DeliveryWay {
  return {
    send: (crossings) => relay(journal, 'crossings', crossings),
    report: (report) => relay(journal, 'heartbeat', encodeHeartbeat({ at: Date.now(), ...report })),
    bootTime: () => askBootTime(journal),
    close: async () => {},
  };
}

/** Delivers over a new connection without a last will, if no agent runs. `send` rejects with NotAuthorized. */
export function throughConnection(account: Account, signal: AbortSignal): DeliveryWay {
  let connection: { readonly client: MqttClient; readonly closed: Promise<false> } | undefined;
  const connected = async () => {
    if (connection?.client.connected) return connection;
    const client = await connect(account, defaultUplinkSettings, signal, { isVisit: true });
    const closed = new Promise<false>((resolve) => client.once('close', () => resolve(false)));
    connection = { client, closed };
    return connection;
  };
  const publish = async (channel: 'crossings' | 'heartbeat', payload: string) => {
    const lost = (error: unknown) => {
      if (error instanceof ConnectionLost) return undefined;
      throw error;
    };
    const present = await connected().catch(lost);
    if (!present) return false;
    const { client, closed } = present;
    const published = client.publishAsync(topic(account.serial, channel), payload, { qos: 1 });
    return Promise.race([
      published.then(
        () => true,
        () => false,
      ),
      closed,
    ]);
  };
  return {
    send: (crossings) => publish('crossings', crossings),
    report: (report) => publish('heartbeat', encodeHeartbeat({ at: Date.now(), version, ...report })),
    bootTime: async () =>
      (await isClockSynchronised()) ? { offset: Date.now() - monotonicNow(), uncertainty: 0 } : undefined,
    close: async () => {
      await connection?.client.endAsync().catch(() => {});
    },
  };
}
