import { readStoreSettings, StoreSettings, saveStore } from '@visitor-counter/database/configuration/store';
import Type from 'typebox';
import { route } from '../routing/route.ts';
import { storeInPath } from '../stores/requested-stores.ts';
import { configure } from './configure.ts';

/** What staff may set of a store. */
export const getSettings = route(
  {
    method: 'GET',
    path: '/v1/stores/:sid/settings',
    summary: 'Capacity, opening hours and staff of a store',
    kinds: ['staff'],
    settings: 'store',
    answer: StoreSettings,
  },
  async (request, resources) => {
    const { id } = await storeInPath(request, resources);
    return await readStoreSettings(resources.database.kysely, id);
  },
);

/** Sets what is given, and leaves the rest as it is. */
export const putSettings = route(
  {
    method: 'PUT',
    path: '/v1/stores/:sid/settings',
    summary: 'Set capacity, opening hours and staff of a store',
    kinds: ['staff'],
    settings: 'store',
    body: Type.Partial(StoreSettings),
    bodyLimit: 1024 * 1024,
    answer: StoreSettings,
  },
  async (request, resources) => {
    const { id, sid } = await storeInPath(request, resources);
    return await configure(request, resources, async (trx, owner) => {
      await saveStore(trx, owner, { sid, ...request.body }, resources.now());
      return await readStoreSettings(trx, id);
    });
  },
);
