import { setTimeout as pause } from 'node:timers/promises';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { CampaignCompany } from '../world/company.ts';

/** A page that listens to the live stream, as a browser's EventSource does. */
export interface LiveWitness {
  readonly company: CampaignCompany;
  /** The latest number of a store (sid) in the stream; undefined before the first event. */
  numberOf(sid: string): LiveNumber | undefined;
  /** Answers that are always wrong, such as 500. */
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

export interface LiveNumber {
  readonly occupancy: number;
  /** The latest crossing of the day, or its start (epoch ms). */
  readonly lastChange: number;
}

const occupancyEvent = Compile(
  Type.Object({
    stores: Type.Array(
      Type.Object({ store: Type.String(), occupancy: Type.Integer(), lastChangeAt: Type.String() }),
    ),
  }),
);

/** Between two connections (ms). */
const reconnectAfter = 500;
/** After so long without a `beat`, contact is lost, as the documentation says (ms). */
const silence = 15_000;

/** Listens to all stores of a company until it is closed. */
export function startLiveWitness(url: string, company: CampaignCompany): LiveWitness {
  const stopping = new AbortController();
  const numbers = new Map<string, LiveNumber>();
  const complaints: string[] = [];
  const onEvent = ({ name, data }: ServerSentEvent) => {
    if (name !== 'occupancy') return;
    for (const { store, occupancy, lastChangeAt } of occupancyEvent.Parse(JSON.parse(data)).stores)
      numbers.set(store, { occupancy, lastChange: Date.parse(lastChangeAt) });
  };
  const run = async () => {
    while (!stopping.signal.aborted) {
      await listen(url, company.token, stopping.signal, onEvent, complaints);
      await pause(reconnectAfter);
    }
  };
  const running = run();
  return {
    company,
    complaints,
    numberOf: (sid) => numbers.get(sid),
    close: async () => {
      stopping.abort();
      await running;
    },
  };
}

interface ServerSentEvent {
  readonly name: string;
  readonly data: string;
}

/** One connection, until it ends or is silent for too long. */
async function listen(
  url: string,
  token: string,
  stopping: AbortSignal,
  onEvent: (event: ServerSentEvent) => void,
  complaints: string[],
): Promise<void> {
  const quiet = new AbortController();
  const timer = setTimeout(() => quiet.abort(), silence);
  try {
    const answer = await fetch(`${url}/v1/live`, {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.any([stopping, quiet.signal]),
    });
    if (answer.status !== 200 && answer.status !== 503) {
      complaints.push(`/v1/live: ${answer.status} ${await answer.text()}`);
    }
    if (answer.status !== 200 || answer.body === null) return;
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of answer.body) {
      const events = (text + decoder.decode(chunk, { stream: true })).split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) {
        timer.refresh();
        onEvent(readEvent(event));
      }
    }
  } catch {
    /* The connection ended; the next one begins with all numbers. */
  } finally {
    clearTimeout(timer);
  }
}

function readEvent(text: string): ServerSentEvent {
  const fields = new Map<string, string>();
  for (const line of text.split('\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1).trimStart());
  }
  return { name: fields.get('event') ?? '', data: fields.get('data') ?? '' };
}
