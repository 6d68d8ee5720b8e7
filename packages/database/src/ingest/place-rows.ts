import type { ClientBase } from 'pg';
import type { UnstoredRow } from './compare-with-stored.ts';
import { type CrossingRow, compareKeys } from './crossing-row.ts';
import { storeAt } from './device-stores.ts';
import type { MessageToStore } from './store-messages.ts';
import type { StoringMemory } from './storing-memory.ts';
import { UnknownDevice } from './unknown-device.ts';

/** The crossings of messages as rows. */
export interface Placed {
  /** Sorted by their keys. */
  readonly placed: CrossingRow[];
  /** Of devices that belong to no store at the instant. */
  readonly homeless: UnstoredRow[];
}

/** The rows of all messages, each in the store that its device belongs to at its instant, as far as is known. */
export async function placeRows(
  client: ClientBase,
  memory: StoringMemory,
  messages: readonly MessageToStore[],
): Promise<Placed> {
  const { journals, stores } = memory;
  journals.trim();
  const known = placeKnown(memory, messages);
  if (!('stranger' in known)) return known;
  const senders = messages.flatMap(({ deviceId, batch }) =>
    batch ? { deviceId, journal: batch.journal } : [],
  );
  await journals.learn(client, senders);
  await stores.learn(
    client,
    senders.map(({ deviceId }) => deviceId),
  );
  const learnt = placeKnown(memory, messages);
  if ('stranger' in learnt) throw new UnknownDevice(learnt.stranger);
  return learnt;
}

/** A device of which a journal, or where it belongs, is not known, is a stranger. */
function placeKnown(
  { journals, stores }: StoringMemory,
  messages: readonly MessageToStore[],
): Placed | { readonly stranger: number } {
  const placed: CrossingRow[] = [];
  const homeless: UnstoredRow[] = [];
  for (let message = 0; message < messages.length; message += 1) {
    const { deviceId: device = 0, batch } = messages[message] ?? {};
    if (batch === undefined) continue;
    const { journal, crossings } = batch;
    const journalId = journals.get(device, journal);
    const assignments = stores.assignmentsOf(device);
    if (journalId === undefined || assignments === undefined) return { stranger: device };
    for (const { sequence, at, direction, uncertainty = null } of crossings) {
      const storeId = storeAt(assignments, at);
      if (storeId === undefined) {
        const row = { message, journalId, journal, device, sequence, at, direction, uncertainty };
        homeless.push({ row, reason: 'device: belongs to no store' });
      } else {
        placed.push({ message, journalId, journal, device, sequence, at, direction, uncertainty, storeId });
      }
    }
  }
  return { placed: placed.sort(compareKeys), homeless };
}
