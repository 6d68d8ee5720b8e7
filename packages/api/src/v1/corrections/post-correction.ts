import { enterCorrection } from '@visitor-counter/database/occupancy/enter-correction';
import { parseInstant } from '@visitor-counter/domain/time';
import Type from 'typebox';
import { invalidParameter } from '../../problems/problems.ts';
import { nothing, type Route, type RouteDescription, route, type V1Resources } from '../routing/route.ts';
import { requestedStores, storeOf } from '../stores/requested-stores.ts';
import { correctionOf, correctionShape, entryFields } from './correction.ts';

/** More people than are ever in one store: a typing error. */
const mostPeople = 1_000_000;

const whenExpected = 'an RFC 3339 date-time with offset that is not ahead of now';

export const postCorrectionDescription = {
  method: 'POST',
  path: '/v1/corrections',
  summary: 'Set the number of people inside',
  kinds: ['staff'],
  query: nothing,
  body: Type.Object({
    store: Type.String({ description: 'the sid of a store', maxLength: 200 }),
    people: Type.Integer({
      description: `a whole number from 0 to ${mostPeople}`,
      ...{ minimum: 0, maximum: mostPeople },
    }),
    at: Type.Optional(Type.String({ description: whenExpected })),
    ...entryFields,
  }),
  status: 201,
  answer: correctionShape,
} satisfies RouteDescription;

/** Sets the number of people inside from an instant on. */
export function postCorrection({ database, now }: V1Resources): Route {
  return route(
    postCorrectionDescription,
    async ({ caller, body: { store: sid, people, at: when, by, note = '' } }) => {
      const at = when === undefined ? now() : parseInstant(when);
      if (at === undefined || at > now() || at < 0) throw invalidParameter('at', whenExpected);
      const store = storeOf(await requestedStores(database.kysely, caller, undefined), sid);
      const entry = { by: by.trim(), note: note.trim(), credentialId: caller.credentialId };
      const id = await enterCorrection(database.kysely, { ...entry, storeId: store.id, at, people });
      return (await correctionOf(database.kysely, caller, id)).item;
    },
  );
}
