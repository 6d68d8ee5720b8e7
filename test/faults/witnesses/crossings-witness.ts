import { setTimeout as pause } from 'node:timers/promises';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import type { UnitTruth } from '../truth/unit-truth.ts';
import type { CampaignCompany } from '../world/company.ts';

/** An integrator that copies `/v1/crossings` with a cursor. */
export interface CrossingsWitness {
  readonly company: CampaignCompany;
  /** How many of the first `recorded` crossings of each door differ from the truth. */
  wrong(doors: readonly JournaledDoor[]): number;
  /** How often a cursor was refused because the database had been restored. */
  readonly refusals: number;
  /** Answers that are always wrong, such as 500, or a repeated crossing of a device that was not moved. */
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

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

/** `moved`: serial numbers of devices that were moved, whose crossings may come again. */
export function startCrossingsWitness(
  url: string,
  company: CampaignCompany,
  moved: ReadonlySet<string>,
): CrossingsWitness {
  const reader = new CursorReader(url, company, moved);
  const running = reader.run();
  return {
    company,
    get refusals() {
      return reader.refusals;
    },
    complaints: reader.complaints,
    wrong: (doors) => doors.reduce((sum, door) => sum + reader.wrongOf(door), 0),
    close: async () => {
      reader.stop();
      await running;
    },
  };
}

/** A copied crossing. */
interface Copy {
  readonly store: string;
  readonly at: number;
  readonly direction: 1 | -1;
  /** How many cursors had been refused when it came. */
  readonly refusals: number;
}

class CursorReader {
  readonly complaints: string[] = [];
  refusals = 0;
  readonly #url: string;
  readonly #company: CampaignCompany;
  readonly #moved: ReadonlySet<string>;
  readonly #stopping = new AbortController();
  /** By device, then by sequence; a sequence of a second journal is a separate copy. */
  readonly #copies = new Map<string, Map<string, Copy>>();
  #after: string | undefined;

  constructor(url: string, company: CampaignCompany, moved: ReadonlySet<string>) {
    this.#url = url;
    this.#company = company;
    this.#moved = moved;
  }

  stop(): void {
    this.#stopping.abort();
  }

  async run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const hasMore = await this.#readPage().catch(() => false);
      if (!hasMore) await pause(pollEvery);
    }
  }

  async #readPage(): Promise<boolean> {
    const after = this.#after === undefined ? '' : `&after=${encodeURIComponent(this.#after)}`;
    const answer = await fetch(`${this.#url}/v1/crossings?limit=10000${after}`, {
      headers: { authorization: `Bearer ${this.#company.token}` },
      signal: this.#stopping.signal,
    });
    const body: unknown = await answer.json();
    if (answer.status === 503) return false;
    if (refusal.Check(body)) {
      /* As documented: read again from the beginning, without known crossings. */
      this.refusals += 1;
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

  #note({ device, journal, sequence, store, at, direction }: Item): void {
    if (device === this.#company.hostile) return;
    const copies = this.#copies.get(device) ?? new Map<string, Copy>();
    this.#copies.set(device, copies);
    const key = `${sequence} ${journal}`;
    /* After a refusal all crossings are repeated once. */
    if (copies.get(key)?.refusals === this.refusals && !this.#moved.has(device)) {
      this.#complain(
        `/v1/crossings: ${device} ${journal} ${sequence} again, though the device was not moved`,
      );
    }
    copies.set(key, {
      store,
      at: Date.parse(at),
      direction: direction === 'in' ? 1 : -1,
      refusals: this.refusals,
    });
  }

  /** A few examples are enough. */
  #complain(text: string): void {
    if (this.complaints.length < 20) this.complaints.push(text);
  }

  wrongOf({ truth, recorded }: JournaledDoor): number {
    const copies = this.#copies.get(truth.serial) ?? new Map<string, Copy>();
    if (copies.size !== recorded) return Math.abs(copies.size - recorded);
    let wrong = 0;
    for (const [key, { store, at, direction }] of copies) {
      const crossing = truth.crossings[Number.parseInt(key, 10) - 1];
      const isRight =
        crossing?.at === at && crossing.direction === direction && truth.assignments.storeAt(at) === store;
      if (!isRight) wrong += 1;
    }
    return wrong;
  }
}
