import { lastCrossingOf, occupancyAt } from '../truth/expected-events.ts';
import type { UnitTruth } from '../truth/unit-truth.ts';
import { type CampaignCompany, companyOf } from '../world/company.ts';
import { type CrossingsWitness, type JournaledDoor, startCrossingsWitness } from './crossings-witness.ts';
import { type LiveWitness, startLiveWitness } from './live-witness.ts';

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
  const live = companies.map((company) => startLiveWitness(url, company));
  const crossings = companies.map((company) => startCrossingsWitness(url, company, moved));
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
  const journaled = doors.map(({ truth, recorded }) => journaledOf(truth, recorded));
  const wrongNumbers = live.flatMap(({ company, numberOf }) =>
    company.stores.flatMap((store) => {
      const shown = numberOf(store.sid);
      if (shown === undefined) return `live: nothing of ${store.name}`;
      const { occupancy, lastChange } = shown;
      const counted = occupancyAt(store, journaled, lastChange);
      const late = lastCrossingOf(store, journaled, until) - lastChange;
      if (occupancy === counted && late <= 0) return [];
      return `live: ${store.name} shows ${occupancy}, counted by hand ${counted}, ${Math.max(0, late)} ms late`;
    }),
  );
  const wrongCopies = crossings.flatMap(({ company, wrong }) => {
    const own = doors.filter(({ truth }) => companyOfDoor(companies, truth) === company);
    const count = wrong(own);
    return count === 0 ? [] : `crossings: ${count} of ${company.name} missing or wrong`;
  });
  return [...wrongNumbers, ...wrongCopies];
}

function journaledOf(truth: UnitTruth, recorded: number): UnitTruth {
  return { ...truth, crossings: truth.crossings.slice(0, recorded) };
}

function companyOfDoor(companies: readonly CampaignCompany[], { assignments }: UnitTruth): CampaignCompany {
  return companyOf(companies, assignments.storeAt(Number.NEGATIVE_INFINITY));
}
