import { withClient } from '@visitor-counter/database/sql/open-client';
import { startMadeServer } from '../api/made-server.ts';
import { startApiProgram } from '../api/start-api-program.ts';
import { flatOut } from '../ingest/ingest-options.ts';
import { below, type Figure, type Measured, ratio, showProgress, type Target } from '../shared/report.ts';
import { addUnits, growthWorkload } from './growth-workload.ts';
import { measureDirections } from './measure-directions.ts';
import { measureIngest } from './measure-ingest.ts';
import { measureReader, readers } from './readers.ts';

export interface GrowthOptions {
  /** Millions of crossings, the one to compare with first. */
  readonly sizes: readonly number[];
  readonly rounds: number;
  /** Length of each measurement of ingest (s). */
  readonly seconds: number;
  /** Creates the databases and measures nothing. */
  readonly prepare?: boolean;
}

/** Measures ingest and every reader of the api on histories of several sizes, which are created once and reused. */
export async function benchGrowth(options: GrowthOptions): Promise<Measured> {
  const { sizes, rounds, seconds, prepare } = options;
  await using server = await startMadeServer();
  const urls = new Map<number, string>();
  for (const size of sizes) {
    const url = await server.database(growthWorkload(size));
    await withClient(url, (client) => addUnits(client, flatOut.units));
    urls.set(size, url);
  }
  if (prepare) return { figures: [], targets: [], skipped: ['all: this run only fills databases'] };
  const measured = new Figures(sizes);
  for (let round = 1; round <= rounds; round += 1) {
    showProgress(`round ${round} of ${rounds}`);
    for (const [size, url] of urls)
      measured.add('ingest', 'crossings/s', size, await measureIngest(url, seconds));
    for (const [size, url] of urls) {
      await using api = await startApiProgram(url);
      for (const reader of readers) measured.add(reader.name, 'ms', size, await measureReader(api, reader));
      measured.add('directions of all doors', 'ms', size, await measureDirections(url));
    }
  }
  return {
    figures: measured.figures,
    targets: measured.targets(),
    skipped: [
      'the live stream and alerts, which read the projection of the present day only: see bench live',
    ],
  };
}

/** Figures by name and size. */
class Figures {
  readonly #sizes: readonly number[];
  readonly #values = new Map<string, { unit: string; bySize: Map<number, number[]> }>();

  constructor(sizes: readonly number[]) {
    this.#sizes = sizes;
  }

  add(name: string, unit: string, size: number, value: number): void {
    const known = this.#values.get(name) ?? { unit, bySize: new Map<number, number[]>() };
    this.#values.set(name, known);
    known.bySize.set(size, [...(known.bySize.get(size) ?? []), value]);
  }

  get figures(): Figure[] {
    return [...this.#values].flatMap(([name, { unit, bySize }]) =>
      this.#sizes.map((size) => ({
        name: `${name}, ${size} million`,
        unit,
        values: bySize.get(size) ?? [],
      })),
    );
  }

  /** The ratio of each figure to that of the first size: of times, and of the inverse of rates. */
  targets(): Target[] {
    const [first, ...others] = this.#sizes;
    return [...this.#values].flatMap(([name, { unit, bySize }]) =>
      others.map((size) => {
        const [large, small] = [size, first ?? size].map((one) => ({
          name,
          unit,
          values: bySize.get(one) ?? [],
        }));
        const value = unit === 'ms' ? ratioOf(large, small) : ratioOf(small, large);
        return below(`${name}, ${size} : ${first} million`, value, '', 1.3);
      }),
    );
  }
}

function ratioOf(figure: Figure | undefined, by: Figure | undefined): number {
  return figure && by ? ratio(figure, by) : Number.NaN;
}
