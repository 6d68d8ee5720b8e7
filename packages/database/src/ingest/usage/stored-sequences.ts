import type { ClientBase } from 'pg';
import { numberArray } from '../../sql/arrays.ts';

/** Which of these sequences of a device's journal are stored, whatever their content. */
export async function storedSequences(
  client: ClientBase,
  deviceId: number,
  journal: string,
  sequences: readonly number[],
): Promise<ReadonlySet<number>> {
  const { rows } = await client.query<{ sequence: string }>({
    name: 'stored-sequences',
    text: `select crossing.sequence from journal
           join unnest($3::bigint[]) as sent (sequence) on true
           join crossing on crossing.journal_id = journal.id and crossing.sequence = sent.sequence
           where journal.device_id = $1::integer and journal.name = $2::text`,
    values: [deviceId, journal, numberArray(sequences)],
  });
  return new Set(rows.map(({ sequence }) => Number(sequence)));
}
