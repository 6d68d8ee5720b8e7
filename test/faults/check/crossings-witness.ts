import { setTimeout as pause } from 'node:timers/promises';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import type { UnitTruth } from '../truth/unit-truth.ts';
import type { CampaignCompany } from '../world/company.ts';

export interface JournaledDoor {
  readonly truth: UnitTruth;
  readonly recorded: number;
}

const Page = Type.Object({
  items: Type.Array(
    Type.Object({
      store: Type.String(),
      device: Type.String(),
      journal: Type.String(),
      sequence: Type.Integer(),
      at: Type.String(),
      direction: Type.Union([Type.Literal('in'), Type.Literal('out')]),
    }),
  ),
  next: Type.String(),
  more: Type.Boolean(),
});
const page = Compile(Page);
type Item = Static<typeof Page>['items'][number];

const refusal = Compile(Type.Object({ code: Type.Literal('cursor_of_another_history') }));

/** The pause between two requests at the end of the list (ms). */
const pollEvery = 250;

/** An integrator that copies `/v1/crossings` with a cursor, until it is closed. */
export class CrossingsWitness {
  readonly company: CampaignCompany;
  /** Answers that are always wrong, such as 500, or a repeated crossing of a device that was not moved. */
  readonly complaints: string[] = [];
  readonly #url: string;
  readonly #moved: ReadonlySet<string>;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  /** By device, then by journal and sequence. */
  readonly #copies = new Map<string, Map<string, Item & { readonly refusals: number }>>();
  /** How often a cursor was refused because the database had been restored. */
  #refusals = 0;
  #after: string | undefined;

  /** `moved`: serial numbers of devices that were moved, whose crossings may come again. */
  constructor(url: string, company: CampaignCompany, moved: ReadonlySet<string>) {
    this.#url = url;
    this.company = company;
    this.#moved = moved;
    this.#running = this.#run();
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** In words, if the first `recorded` crossings of doors of its company differ from the truth. */
  wrong(doors: readonly JournaledDoor[]): readonly string[] {
    const sids = new Set(this.company.stores.map(({ sid }) => sid));
    const own = doors.filter(({ truth }) => sids.has(truth.assignments.storeAt(Number.NEGATIVE_INFINITY)));
    const count = own.reduce((sum, door) => sum + this.#wrongOf(door), 0);
    return count === 0 ? [] : [`/v1/crossings: ${count} of ${this.company.name} missing or wrong`];
  }

  #wrongOf({ truth, recorded }: JournaledDoor): number {
    const copies = this.#copies.get(truth.serial) ?? new Map<string, Item>();
    if (copies.size !== recorded) return Math.abs(copies.size - recorded);
    return [...copies.values()].filter(({ sequence, store, at, direction }) => {
      const crossing = truth.crossings[sequence - 1];
      const isRight = crossing?.at === Date.parse(at) && crossing.direction === (direction === 'in' ? 1 : -1);
      return !isRight || truth.assignments.storeAt(crossing.at) !== store;
    }).length;
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const hasMore = await this.#readPage().catch(() => false);
      if (!hasMore) await pause(pollEvery);
    }
  }

  async #readPage(): Promise<boolean> {
    const after = this.#after === undefined ? '' : `&after=${encodeURIComponent(this.#after)}`;
    const answer = await fetch(`${this.#url}/v1/crossings?limit=10000${after}`, {
      headers: { authorization: `Bearer ${this.company.token}` },
      signal: this.#stopping.signal,
    });
    const body: unknown = await answer.json();
    if (answer.status === 503) return false;
    if (refusal.Check(body)) {
      /* As documented: read again from the beginning, without known crossings. */
      this.#refusals += 1;
      this.#after = undefined;
      return true;
    }
    if (answer.status !== 200) {
      this.#complain(`/v1/crossings: ${answer.status} ${JSON.stringify(body)}`);
      return false;
    }
    const { items, next, more } = page.Parse(body);
    for (const item of items) this.#note(item);
    this.#after = next;
    return more;
  }

  #note(item: Item): void {
    const copies = this.#copies.get(item.device) ?? new Map();
    this.#copies.set(item.device, copies);
    const key = `${item.journal} ${item.sequence}`;
    /* After a refusal all crossings are repeated once. */
    if (copies.get(key)?.refusals === this.#refusals && !this.#moved.has(item.device))
      this.#complain(`/v1/crossings: ${item.device} ${key} again, though the device was not moved`);
    copies.set(key, { ...item, refusals: this.#refusals });
  }

  /** A few examples are enough. */
  #complain(text: string): void {
    if (this.complaints.length < 20) this.complaints.push(text);
  }
}
