import {
  type AuditFacts,
  auditedDevice,
  enterAudit,
  findAudit,
  listAudits,
} from '@visitor-counter/database/accuracy/audits';
import { computeResults } from '@visitor-counter/database/accuracy/compute-results';
import type { DB } from '@visitor-counter/database/sql/schema';
import { type StoreFacts, storeFacts } from '@visitor-counter/database/stores/stores';
import { findDevice, storesOfDevice } from '@visitor-counter/database/stores/stores-in-scope';
import { nameKey } from '@visitor-counter/domain/name-key';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import type { Kysely } from 'kysely';
import Type from 'typebox';
import type { Caller } from '../../access/callers.ts';
import { unknownResource } from '../../problems/problems.ts';
import { entryNote, personName, refused } from '../entries/entries.ts';
import { columnsOf } from '../routing/list-columns.ts';
import { route } from '../routing/route.ts';
import { afterEntry, idIn, limit, listOf, noOtherFields, readPage, storeFilter } from '../routing/shapes.ts';
import { readBody } from '../routing/values.ts';
import { auditItem, auditShape } from '../stores/audit-item.ts';
import { requestedStores } from '../stores/requested-stores.ts';
import { checkedPassages, expected, givenAudit, mostPassages } from './given-audit.ts';

const device = Type.String({ description: 'the serial number of a device', minLength: 1, maxLength: 200 });
const fields = Type.Object({
  device,
  by: personName,
  id: Type.String({
    description: 'an id of 1 to 100 letters, digits, "-" and "_" that you have made for this audit',
    pattern: '^[A-Za-z0-9_-]{1,100}$',
  }),
  note: entryNote,
});

const passage = Type.Object(
  {
    at: Type.String({ description: `Must be ${expected.at}.` }),
    direction: Type.Enum(['in', 'out']),
  },
  noOtherFields,
);

/** Stores what a person saw at a door; a repeated request returns the same audit. */
export const postAudit = route(
  {
    method: 'POST',
    path: '/v1/audits',
    summary:
      'Compare what a person saw at a door with what was counted; repeating the request changes nothing',
    kinds: ['staff'],
    query: Type.Partial(fields),
    rawBody: {
      json: Type.Object(
        {
          ...fields.properties,
          passages: Type.Union([
            Type.Array(passage, { minItems: 1, maxItems: mostPassages }),
            Type.String({ description: 'the same as CSV' }),
          ]),
        },
        noOtherFields,
      ),
      texts: {
        'text/csv': `A line for each passage: the columns at and direction. The other fields are in the query. At most ${mostPassages} lines.`,
      },
      limit: 512 * 1024,
    },
    status: 201,
    answer: auditShape,
  },
  async ({ caller, author, query, sent }, { database: { kysely }, now }) => {
    const given = givenAudit(sent, query);
    const { device: serial, by, id: key, note = '' } = readBody(fields, given.fields);
    const stores = await storeFacts(kysely, caller);
    const find = async (at: number) => {
      const found = await auditedDevice(kysely, caller.companyId, serial, at);
      const store = stores.find(({ id }) => id === found?.storeId);
      if (found === undefined || store === undefined) throw unknownResource('device', 'device');
      return { ...found, store };
    };
    const { timeZone } = (await find(now())).store.calendar;
    const passages = checkedPassages(given.passages, { timeZone, now: now() });
    const { deviceId, storeId, store } = await find(passages.at(-1)?.at ?? now());
    const person = { ...author, name: by.trim() };
    const { credentialId } = caller;
    const audit = { deviceId, storeId, key, passages, author: person, note: note.trim(), credentialId };
    const id = await enterAudit(kysely, audit).catch(refused('passages'));
    await computeResults(kysely, now(), id);
    return itemOf(await findAudit(kysely, id), store);
  },
);

/** The audits of doors, the last entered first. */
export const getAudits = route(
  {
    method: 'GET',
    path: '/v1/audits',
    summary: 'How accurately doors count, as people have checked it',
    kinds: ['counts', 'staff'],
    query: Type.Object({
      store: storeFilter,
      device: Type.Optional(device),
      limit: limit(),
      after: afterEntry,
    }),
    answer: listOf(auditShape),
    columns: columnsOf(auditShape, 'seen', 'credential', 'result.lag'),
  },
  async ({ caller, query }, { database: { kysely } }) => {
    const { device: serial, after } = query;
    const stores = await requestedStores(kysely, caller, query.store);
    const deviceId = serial === undefined ? undefined : await visibleDevice(kysely, caller, serial);
    const { items, next } = await readPage(
      (limit) => listAudits(kysely, { storeIds: stores.ids, deviceId, before: idIn(after), limit }),
      ({ id }) => String(id),
      query.limit,
    );
    return { items: items.map((audit) => itemOf(audit, stores.of(audit.storeId))), next };
  },
);

/** The id of a device that is or was in a store that the caller sees. Throws `unknown_device`. */
async function visibleDevice(db: Kysely<DB>, caller: Caller, serial: string): Promise<number> {
  const deviceId = await findDevice(db, caller.companyId, nameKey(serial));
  const stores = deviceId === undefined ? [] : await storesOfDevice(db, caller, deviceId);
  if (deviceId === undefined || stores.length === 0) throw unknownResource('device', 'device');
  return deviceId;
}

function itemOf(audit: AuditFacts, { sid, calendar }: StoreFacts) {
  return auditItem(audit, sid, zonedFormatter(calendar.timeZone));
}
