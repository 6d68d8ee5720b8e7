import { undoCorrection } from '@visitor-counter/database/occupancy/enter-correction';
import Type from 'typebox';
import { alreadyUndone } from '../../problems/problems.ts';
import { nothing, type Route, type RouteDescription, route, type V1Resources } from '../routing/route.ts';
import { correctionOf, correctionShape, entryFields } from './correction.ts';

export const postUndoDescription = {
  method: 'POST',
  path: '/v1/corrections/:id/undo',
  summary: 'Undo a correction',
  kinds: ['staff'],
  query: nothing,
  body: Type.Object(entryFields),
  status: 200,
  answer: correctionShape,
} satisfies RouteDescription;

/** Undoes a correction; both entries remain. */
export function postUndo({ database }: V1Resources): Route {
  return route(postUndoDescription, async ({ caller, path, body: { by, note = '' } }) => {
    const { correction } = await correctionOf(database.kysely, caller, path['id'] ?? '');
    const { id, store_id: storeId, at } = correction;
    const entry = { by: by.trim(), note: note.trim(), credentialId: caller.credentialId };
    if (!(await undoCorrection(database.kysely, { id, storeId, at }, entry))) throw alreadyUndone();
    return (await correctionOf(database.kysely, caller, id)).item;
  });
}
