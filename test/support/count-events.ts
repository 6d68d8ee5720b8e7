import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';

const CountEvents = Type.Array(
  Type.Object({ DateTime: Type.String(), StoreName: Type.String(), Amount: Type.Integer() }),
);

/** A record of the count operations. */
export type CountEvent = Static<typeof CountEvents>[number];

const countEvents = Compile(CountEvents);

/** Calls one of the operations with a form and returns the parsed response; throws on any status but 200. */
export async function callOperation(
  serviceUrl: string,
  operation: string,
  fields: Readonly<Record<string, string>>,
): Promise<CountEvent[]> {
  const answer = await fetch(`${serviceUrl}/${operation}`, {
    method: 'POST',
    body: new URLSearchParams(fields),
  });
  if (answer.status !== 200) throw new Error(`${operation}: ${answer.status} ${await answer.text()}`);
  return countEvents.Parse(await answer.json());
}

/** The number of records in each local half hour, by its beginning `YYYY-MM-DDTHH:MM`. */
export function perHalfHour(events: readonly CountEvent[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { DateTime } of events) {
    const halfHour = `${DateTime.slice(0, 14)}${Number(DateTime.slice(14, 16)) < 30 ? '00' : '30'}`;
    counts.set(halfHour, (counts.get(halfHour) ?? 0) + 1);
  }
  return counts;
}

/**
 * The amount after every event of one store, counted in the simplest way: up for an entry, down for an exit
 * but not below zero, from zero at every local midnight.
 */
export function naiveAmounts(all: readonly CountEvent[], entries: readonly CountEvent[]): number[] {
  const entryTimes = new Set(entries.map(({ DateTime }) => DateTime));
  let day = '';
  let inside = 0;
  return all.map(({ DateTime }) => {
    if (DateTime.slice(0, 10) !== day) inside = 0;
    day = DateTime.slice(0, 10);
    if (entryTimes.has(DateTime)) inside += 1;
    else if (inside > 0) inside -= 1;
    return inside;
  });
}
