import { setTimeout as pause } from 'node:timers/promises';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { CampaignCompany } from '../world/company.ts';

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

/** A page that listens to the live stream of all stores, as a browser's EventSource does, until it is closed. */
export class LiveWitness {
  readonly company: CampaignCompany;
  /** The latest number of each store (sid) in the stream. */
  readonly numbers = new Map<string, LiveNumber>();
  /** Answers that are always wrong, such as 500. */
  readonly complaints: string[] = [];
  readonly #url: string;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;

  constructor(url: string, company: CampaignCompany) {
    this.#url = url;
    this.company = company;
    this.#running = this.#run();
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      /* If the connection ends, the next one begins with all numbers. */
      await this.#listen().catch(() => {});
      await pause(reconnectAfter);
    }
  }

  /** One connection, until it ends or is silent for too long. */
  async #listen(): Promise<void> {
    const quiet = new AbortController();
    const timer = setTimeout(() => quiet.abort(), silence);
    try {
      const answer = await fetch(`${this.#url}/v1/live`, {
        headers: { authorization: `Bearer ${this.company.token}` },
        signal: AbortSignal.any([this.#stopping.signal, quiet.signal]),
      });
      if (answer.status !== 200 && answer.status !== 503)
        this.complaints.push(`/v1/live: ${answer.status} ${await answer.text()}`);
      if (answer.status !== 200 || answer.body === null) return;
      let text = '';
      for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
        timer.refresh();
        const events = (text + chunk).split('\n\n');
        text = events.pop() ?? '';
        for (const event of events) this.#read(event);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  #read(event: string): void {
    if (!/^event: ?occupancy$/m.test(event)) return;
    const [, data = ''] = /^data: ?(.*)$/m.exec(event) ?? [];
    for (const { store, occupancy, lastChangeAt } of occupancyEvent.Parse(JSON.parse(data)).stores)
      this.numbers.set(store, { occupancy, lastChange: Date.parse(lastChangeAt) });
  }
}
