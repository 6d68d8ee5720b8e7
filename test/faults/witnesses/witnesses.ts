import { lastCrossingOf, occupancyAt } from '../truth/expected-events.ts';
import { type CampaignCompany, companyOf } from '../world/company.ts';
import { CrossingsWitness, type JournaledDoor } from './crossings-witness.ts';
import { LiveWitness } from './live-witness.ts';

/** Readers while the chain is attacked: for each company a live page, and an integrator with a cursor. */
export interface Witnesses {
  readonly live: readonly LiveWitness[];
  readonly crossings: readonly CrossingsWitness[];
  /** Answers that are always wrong. */
  complaints(): readonly string[];
  close(): Promise<void>;
}

/** `moved`: serial numbers of devices that were moved. */
export function startWitnesses(
  url: string,
  companies: readonly CampaignCompany[],
  moved: ReadonlySet<string>,
): Witnesses {
  const live = companies.map((company) => new LiveWitness(url, company));
  const crossings = companies.map((company) => new CrossingsWitness(url, company, moved));
  const all = [...live, ...crossings];
  return {
    live,
    crossings,
    complaints: () => all.flatMap((witness) => witness.complaints),
    close: async () => {
      await Promise.all(all.map((witness) => witness.close()));
    },
  };
}

/** The differences between witnesses and truth, in words; live numbers have all crossings up to `until` (epoch ms). */
export function wrongWitnesses(
  { live, crossings }: Witnesses,
  companies: readonly CampaignCompany[],
  doors: readonly JournaledDoor[],
  until: number,
): string[] {
  const journaled = doors.map(({ truth, recorded }) => ({
    ...truth,
    crossings: truth.crossings.slice(0, recorded),
  }));
  const wrongNumbers = live.flatMap(({ company, numbers }) =>
    company.stores.flatMap((store) => {
      const shown = numbers.get(store.sid);
      if (shown === undefined) return `live: nothing of ${store.name}`;
      const { occupancy, lastChange } = shown;
      const counted = occupancyAt(store, journaled, lastChange);
      const late = lastCrossingOf(store, journaled, until) - lastChange;
      if (occupancy === counted && late <= 0) return [];
      return `live: ${store.name} shows ${occupancy}, counted by hand ${counted}, ${Math.max(0, late)} ms late`;
    }),
  );
  const wrongCopies = crossings.flatMap((witness) => {
    const isOwn = ({ truth: { assignments } }: JournaledDoor) =>
      companyOf(companies, assignments.storeAt(Number.NEGATIVE_INFINITY)) === witness.company;
    const count = witness.wrong(doors.filter(isOwn));
    return count === 0 ? [] : `crossings: ${count} of ${witness.company.name} missing or wrong`;
  });
  return [...wrongNumbers, ...wrongCopies];
}
