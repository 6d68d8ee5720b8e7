import { setTimeout as delay } from 'node:timers/promises';
import type { AlertStack, Victim } from './alert-stack.ts';
import { afterSeconds, incidents } from './incidents.ts';
import type { ReceivedMessage } from './sinks.ts';

/** How late a company was notified (ms), and of which event. */
export interface Lateness extends Pick<ReceivedMessage, 'by' | 'event' | 'company'> {
  readonly late: number;
}

export interface Kill {
  readonly victim: Victim;
  /** ms after the instant at which the notifications are due. */
  readonly behind: number;
}

export interface Kills {
  readonly raising: readonly Kill[];
  readonly clearing: readonly Kill[];
}

/** A notification that has not arrived after this time counts as missing (ms): the claim of a killed process lasts 90 s. */
const patience = 150_000;

/**
 * Begins an incident of each kind, all due at the same time, and kills processes at that time. When all
 * targets are notified, ends the incidents and kills other processes. Returns how late each target was
 * notified of each event; throws when one was not notified at all.
 */
export async function runRound(stack: AlertStack, { raising, clearing }: Kills): Promise<Lateness[]> {
  const due = Date.now() + 1_000 * afterSeconds + 500;
  const companies = Object.entries(incidents);
  const killed = killAt(stack, due, raising);
  const begun = companies.map(async ([company, { begin }]) =>
    latenessOf(stack, company, 'raised', await begin(unitOf(stack, company), due)),
  );
  const raised = (await Promise.all(begun)).flat();
  await killed;
  const ending = killAt(stack, Date.now(), clearing);
  const ended = companies.map(async ([company, { end }]) =>
    latenessOf(stack, company, 'cleared', await end(unitOf(stack, company))),
  );
  const cleared = (await Promise.all(ended)).flat();
  await ending;
  return [...raised, ...cleared];
}

async function killAt({ kill }: AlertStack, due: number, kills: readonly Kill[]): Promise<void> {
  await Promise.all(
    kills.map(async ({ victim, behind }) => {
      await delay(Math.max(0, due + behind - Date.now()));
      await kill[victim]();
    }),
  );
}

function unitOf({ units }: AlertStack, company: string) {
  const unit = units.get(company);
  if (unit === undefined) throw new Error(`there is no unit of ${company}`);
  return unit;
}

/** How late each target was notified of the event that was due; waits for both targets. */
async function latenessOf(
  stack: AlertStack,
  company: string,
  event: ReceivedMessage['event'],
  due: number,
): Promise<Lateness[]> {
  const { sinks } = stack;
  const deadline = Date.now() + patience;
  for (;;) {
    const since = due - 1_000;
    const found = (['webhook', 'mail'] as const).flatMap((by) => {
      const mine = (one: ReceivedMessage) => one.company === company && one.event === event && one.by === by;
      const first = sinks.received.find((one) => mine(one) && one.at >= since);
      return first ? [{ by, event, company, late: first.at - due }] : [];
    });
    if (found.length === 2) return found;
    if (Date.now() > deadline) {
      const all = sinks.received
        .filter((one) => one.company === company)
        .map(({ by, event, at }) => [by, event, at - due]);
      throw new Error(
        `${company} received no message that its alert is ${event}: ${JSON.stringify(all)}; ended: ${stack.ends().join('; ')}`,
      );
    }
    await delay(20);
  }
}
