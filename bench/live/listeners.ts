import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { countsToken } from '../shared/company.ts';
import { Latencies } from '../shared/latencies.ts';
import type { People } from './people.ts';

/** How many streams are opened concurrently. */
const atOnce = 50;

/** The listeners of all stores; each must receive each person. */
export class Listeners {
  readonly latencies = new Latencies();
  readonly #people: People;
  readonly #streams: Stream[] = [];
  /** How many people each listener has received, by store. */
  readonly #received: number[][] = [];
  #from = Number.POSITIVE_INFINITY;

  static async open(port: number, listeners: number, people: People): Promise<Listeners> {
    const group = new Listeners(people);
    const numbers = storeNumbers();
    for (let first = 0; first < listeners; first += atOnce) {
      const count = Math.min(atOnce, listeners - first);
      await Promise.all(Array.from({ length: count }, () => group.#open(port, numbers)));
    }
    return group;
  }

  constructor(people: People) {
    this.#people = people;
  }

  /** People who enter from then on (`performance.now()`) are measured. */
  measureFrom(from: number): void {
    this.#from = from;
  }

  /** How many notifications are missing so many ms after the last person entered. */
  async missingAfter(patience: number): Promise<number> {
    const deadline = performance.now() + patience;
    while (this.#missing() > 0 && performance.now() < deadline) await delay(20);
    return this.#missing();
  }

  /** Resolves when the api has ended all streams. */
  async ended(): Promise<void> {
    await Promise.all(this.#streams.map((stream) => stream.ended()));
  }

  [Symbol.dispose](): void {
    for (const stream of this.#streams) stream.close();
  }

  async #open(port: number, numbers: (event: string) => StoreNumbers): Promise<void> {
    const received = this.#people.cameIn.map(() => 0);
    this.#received.push(received);
    this.#streams.push(await openStream(port, (event) => this.#record(received, numbers(event))));
  }

  #record(received: number[], numbers: StoreNumbers): void {
    const now = performance.now();
    for (const { store, occupancy } of numbers) {
      const cameIn = this.#people.cameIn[store] ?? [];
      for (let person = received[store] ?? 0; person < occupancy; person += 1) {
        const at = cameIn[person] ?? Number.NaN;
        if (at >= this.#from) this.latencies.add(now - at);
      }
      received[store] = Math.max(received[store] ?? 0, occupancy);
    }
  }

  #missing(): number {
    const people = this.#people.cameIn.map(({ length }) => length);
    const missing = this.#received.flatMap((received) =>
      received.map((count, store) => (people[store] ?? 0) - count),
    );
    return missing.reduce((sum, count) => sum + count, 0);
  }
}

/** An open live stream. */
export interface Stream {
  /** Resolves when the api ends it, which is expected from now on. */
  ended(): Promise<void>;
  close(): void;
}

/** Opens a stream of all stores; calls back with the text of each event. Rejects if the api refuses. */
async function openStream(port: number, onEvent: (event: string) => void): Promise<Stream> {
  const headers = { authorization: `Bearer ${countsToken}` };
  const asked = request({ host: '127.0.0.1', port, path: '/v1/live', headers, agent: false });
  asked.end();
  const [answer]: IncomingMessage[] = await once(asked, 'response');
  if (answer?.statusCode !== 200) throw new Error(`the api refused a listener: ${answer?.statusCode}`);
  answer.setEncoding('utf8');
  let rest = '';
  answer.on('data', (text: string) => {
    const events = (rest + text).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) onEvent(event.slice(event.indexOf('event: ')));
  });
  let closed = false;
  const lost = () => {
    if (!closed) throw new Error('the api has ended a stream');
  };
  answer.on('error', () => {});
  answer.on('close', lost);
  const over = new Promise<void>((resolve) => answer.once('close', resolve));
  asked.on('error', () => {});
  return {
    ended: () => {
      closed = true;
      return over;
    },
    close: () => {
      closed = true;
      asked.destroy();
    },
  };
}

/** The stores of an event: the index and the occupancy of each. */
export type StoreNumbers = readonly { readonly store: number; readonly occupancy: number }[];

const Data = Compile(
  Type.Object({ stores: Type.Array(Type.Object({ store: Type.String(), occupancy: Type.Integer() })) }),
);

/** How many parsed events are cached: all listeners receive the same events at about the same time. */
const remembered = 100;

/** Parses events of the stream, each text once, so that a thousand listeners cost little more than one. */
function storeNumbers(): (event: string) => StoreNumbers {
  const known = new Map<string, StoreNumbers>();
  return (event) => {
    const numbers = known.get(event) ?? read(event);
    if (known.size >= remembered) known.clear();
    known.set(event, numbers);
    return numbers;
  };
}

function read(event: string): StoreNumbers {
  const lines = event.split('\n');
  if (!lines.includes('event: occupancy')) return [];
  const data = lines.find((line) => line.startsWith('data: '))?.slice('data: '.length) ?? '';
  return Data.Parse(JSON.parse(data)).stores.map(({ store, occupancy }) => ({
    store: Number(store),
    occupancy,
  }));
}
