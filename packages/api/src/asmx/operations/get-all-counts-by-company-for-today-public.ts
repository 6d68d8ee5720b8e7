import { openSnapshot } from '@visitor-counter/database/sql/snapshot';
import { storesInSight } from '@visitor-counter/database/stores/stores';
import Type from 'typebox';
import { CompanyName, Token } from '../parameters/schemas.ts';
import { type Operation, operation } from './operation.ts';
import { countEvent } from './records.ts';
import type { Resources } from './resources.ts';
import { storesToday } from './stores-today.ts';
import { accessByToken } from './token.ts';

export const description = {
  name: 'GetAllCountsByCompanyForTodayPublic',
  summary: 'Lists the people inside each of a company’s stores now',
  description:
    'One record for each store, by store name: Amount is its occupancy now, DateTime its latest event of the ' +
    'business day, or the beginning of that day if there is none yet.',
  input: Type.Object({ CompanyName, Token }),
  record: countEvent,
  credential: 'counts',
} as const;

export function getAllCountsByCompanyForTodayPublic({
  database,
  authorize,
  stores,
  now,
}: Resources): Operation {
  return operation(description, {
    async *answer(call) {
      const access = await accessByToken(authorize, call);
      await using snapshot = await openSnapshot(database);
      const seen = await storesInSight(snapshot.db, access, stores);
      yield await storesToday(snapshot.db, seen, now());
    },
  });
}
