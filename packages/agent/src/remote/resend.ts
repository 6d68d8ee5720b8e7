import type { UnitCommand } from '@visitor-counter/wire/gateway-messages';
import type { Journal } from '../journal/journal.ts';
import type { Uplink } from '../uplink/uplink.ts';
import type { CommandResult, RemoteMemory } from './remote-memory.ts';

export interface ResendParts {
  readonly journal: Pick<Journal, 'id' | 'changes' | 'findRange' | 'continueFrom' | 'acknowledgedOf'>;
  readonly memory: RemoteMemory;
  readonly uplink: Pick<Uplink, 'report'>;
}

/** How often a heartbeat reports the progress (ms). */
const reportEvery = 5_000;

export type ResendOrder = Extract<UnitCommand, { command: 'resend' }>;

/**
 * Sends acknowledged crossings again: delivery continues from the first of them, and what follows is sent again, too, which
 * is harmless. A restart of the unit begins again. Resolves when the last one is acknowledged; rejects when `signal`
 * aborts.
 */
export async function resend(
  order: ResendOrder,
  { journal, memory, uplink }: ResendParts,
  signal: AbortSignal,
): Promise<CommandResult> {
  const name = 'journal' in order ? order.journal : journal.id;
  const range = journal.findRange(name, order);
  const missing = 'first' in order ? outside(order, range) : [];
  if (!range) {
    memory.update(order.id, { sent: 0, total: 0, missing });
    const problem = `the unit no longer has these crossings of the journal ${name}`;
    return 'first' in order ? { state: 'done', problem } : { state: 'done' };
  }
  const [first, last] = range;
  const update = () => {
    const sent = Math.min(last, Math.max(first - 1, journal.acknowledgedOf(name) ?? last)) - first + 1;
    memory.update(order.id, { sent, total: last - first + 1, missing });
    return sent === last - first + 1;
  };
  journal.continueFrom(name, first);
  const reporting = setInterval(() => void uplink.report(), reportEvery);
  try {
    if (!update()) void uplink.report();
    while (!update()) {
      await journal.changes.acknowledged.next(signal);
      signal.throwIfAborted();
    }
  } finally {
    clearInterval(reporting);
  }
  return { state: 'done' };
}

/** The sequences of an order that the unit does not have. */
function outside(
  order: { readonly first: number; readonly last: number },
  range: readonly [number, number] | undefined,
): [number, number][] {
  if (!range) return [[order.first, order.last]];
  const [first, last] = range;
  const parts: [number, number][] = [
    [order.first, first - 1],
    [last + 1, order.last],
  ];
  return parts.filter(([from, until]) => from <= until);
}
