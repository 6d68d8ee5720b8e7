import { isClockSynchronised } from '@visitor-counter/service/clock-synchronised';
import { pause } from '@visitor-counter/service/pause';
import { encodeCrossings } from '@visitor-counter/wire/crossings-message';
import { encodeHeartbeat, type Heartbeat } from '@visitor-counter/wire/heartbeat-message';
import { topic } from '@visitor-counter/wire/topics';
import type { MqttClient } from 'mqtt';
import { monotonicNow } from '../clock/time.ts';
import type { BootTime } from '../clock/unit-clock.ts';
import type { Journal } from '../journal/journal.ts';
import { askBootTime, relay } from '../local/ask-agent.ts';
import { version } from '../machine/machine-state.ts';
import { ConnectionLost, connect } from '../uplink/connect.ts';
import { type Account, defaultUplinkSettings } from '../uplink/uplink-settings.ts';

interface OldJournal {
  readonly journal: Journal;
  readonly way: DeliveryWay;
  readonly say: (text: string) => void;
}

/** Crossings in one message. */
const most = 500;

/** Ranges of lost sequences in one report; a message has a bounded size. */
const mostLost = 200;

/** The time in which the server has compared a heartbeat (ms). */
const comparedWithin = 10_000;

/** How often the progress is printed, and a message without an acknowledgement is repeated (ms). */
const reportEvery = 1_000;

/**
 * Sends everything that is not known to be acknowledged, and reports what is lost. Resolves with whether all of it was
 * acknowledged; false when `signal` aborts before, or when crossings have no time.
 */
export async function deliverJournal(old: OldJournal, signal: AbortSignal): Promise<boolean> {
  const { journal, way, say } = old;
  const recorded = journal.journals.reduce((sum, one) => sum + one.recorded, 0);
  const before = recorded - journal.pending;
  say(`${recorded} crossings, ${journal.pending} of them not known to be delivered.`);
  let delivered = 0;
  let reportedAt = performance.now();
  for (let batch = journal.next(most); batch; batch = journal.next(most)) {
    const { journal: id, crossings } = batch;
    const message = encodeCrossings({ journal: id, first: crossings[0]?.sequence ?? 0, crossings });
    if (!(await untilSent(() => way.send(message), old, signal))) {
      say(`Stopped: ${delivered} crossings delivered. The same command again delivers the others.`);
      return false;
    }
    delivered += crossings.length;
    journal.acknowledge(batch);
    if (performance.now() - reportedAt < reportEvery) continue;
    reportedAt = performance.now();
    say(`${delivered} delivered, ${journal.pending} left`);
  }
  if (journal.pending > 0) {
    say(`${journal.pending} crossings have no time yet: try again when the clock of this machine is set.`);
    return false;
  }
  if (!(await reportEnd(old, signal))) return false;
  const unreadable = journal.lost.reduce((sum, [, first, last]) => sum + last - first + 1, 0);
  say(`${delivered} crossings delivered, ${before} were acknowledged before, ${unreadable} cannot be read.`);
  if (unreadable > 0)
    say(`Declared lost: ${journal.lost.map(([, from, to]) => `${from} to ${to}`).join(', ')}.`);
  return true;
}

/**
 * Reports the last sequence of each journal and the lost ones, so that an incomplete journal does not look complete. The server
 * compares the latest heartbeat of a device every few seconds, and the running agent sends others, one each minute: so lost
 * sequences are reported twice, with pauses.
 */
async function reportEnd(old: OldJournal, signal: AbortSignal): Promise<boolean> {
  const { journal, way } = old;
  const reports: (Pick<Heartbeat, 'volatile'> & Required<Pick<Heartbeat, 'lost'>>)[] = [];
  for (const { name, recorded, lost } of journal.journals) {
    if (recorded === 0) continue;
    const volatile = { journal: name, recorded, acknowledged: recorded };
    for (let start = 0; start === 0 || start < lost.length; start += mostLost) {
      const ranges = lost.slice(start, start + mostLost);
      reports.push({
        volatile,
        lost: ranges.map(([from, to]): [string, number, number] => [name, from, to]),
      });
    }
  }
  for (const report of reports.flatMap((one) => (one.lost.length > 0 ? [one, one] : [one]))) {
    if (!(await untilSent(() => way.report(report), old, signal))) return false;
    if (report.lost.length > 0) await pause(comparedWithin, signal);
  }
  return true;
}

/** Repeats a message until it is acknowledged. Resolves with false when `signal` aborts before. */
async function untilSent(
  send: () => Promise<boolean>,
  { say }: OldJournal,
  signal: AbortSignal,
): Promise<boolean> {
  for (let tries = 1; !signal.aborted; tries += 1) {
    if (await send()) return true;
    if (tries === 1) say('No connection to the server: waiting for it. Ctrl-C ends.');
    await pause(reportEvery, signal);
  }
  return false;
}

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
    const client = await connect(account, defaultUplinkSettings, signal, { hasLastWill: false });
    const closed = new Promise<false>((resolve) => client.once('close', () => resolve(false)));
    connection = { client, closed };
    return connection;
  };
  const publish = async (channel: 'crossings' | 'heartbeat', payload: string) => {
    const present = await connected().catch((error: unknown) => {
      if (error instanceof ConnectionLost) return undefined;
      throw error;
    });
    if (!present) return false;
    const { client, closed } = present;
    const published = client.publishAsync(topic(account.serial, channel), payload, { qos: 1 });
    const acknowledged = published.then(
      () => true,
      () => false,
    );
    return Promise.race([acknowledged, closed]);
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
