import {
  type AuditFacts,
  auditedDevice,
  enterAudit,
  findAudit,
  listAudits,
} from '@visitor-counter/database/accuracy/audits';
import { computeResults } from '@visitor-counter/database/accuracy/compute-results';
import { type StoreFacts, storeFacts } from '@visitor-counter/database/stores/store-facts';
import { findDevice, storesOfDevice } from '@visitor-counter/database/stores/stores';
import type { Crossing, Direction } from '@visitor-counter/domain/crossing';
import { nameKey } from '@visitor-counter/domain/name-key';
import { parseInstantIn } from '@visitor-counter/domain/time-zone';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import Type from 'typebox';
import { invalidLines, type LineError, unknownResource } from '../../problems/problems.ts';
import { entryNote, personName, refused } from '../entries/entry-fields.ts';
import { type GivenLine, givenLines } from '../routing/given-lines.ts';
import { columnsOf } from '../routing/list-columns.ts';
import { afterEntry, idIn, limit, listOf, readPage } from '../routing/pages.ts';
import { route } from '../routing/route.ts';
import { noOtherFields, storeFilter } from '../routing/shapes.ts';
import { fieldsIn, readBody } from '../routing/values.ts';
import { auditItem, auditShape } from '../stores/audit-item.ts';
import { requestedStores } from '../stores/requested-stores.ts';

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

const passagesList = { name: 'passages', fields: ['at', 'direction'], least: 1, most: 2_000 } as const;

const expected = {
  at: 'an RFC 3339 date-time such as 2026-11-20T10:00:00.5+01:00, or without offset in the time of the store, from 1970 on and not ahead of now',
  direction: 'in or out',
  range: 'within 12 hours of the first passage',
} as const;

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
            Type.Array(passage, { minItems: 1, maxItems: passagesList.most }),
            Type.String({ description: 'the same as CSV' }),
          ]),
        },
        noOtherFields,
      ),
      texts: {
        'text/csv': `A line for each passage: the columns at and direction. The other fields are in the query. At most ${passagesList.most} lines.`,
      },
    },
    bodyLimit: 512 * 1024,
    status: 201,
    answer: auditShape,
  },
  async ({ caller, author, query, sent }, { database: { kysely }, now }) => {
    /* A list of JSON, CSV in JSON, or CSV with the other fields in the query. */
    const { passages: list, ...given } = typeof sent === 'string' ? { passages: sent } : fieldsIn(sent);
    const lines = givenLines(list, passagesList);
    const { device: serial, by, id: key, note = '' } = readBody(fields, { ...query, ...given });
    const stores = await storeFacts(kysely, caller);
    const find = async (at: number) => {
      const found = await auditedDevice(kysely, caller.companyId, serial, at);
      const store = stores.find(({ id }) => id === found?.storeId);
      if (found === undefined || store === undefined) throw unknownResource('device', 'device');
      return { ...found, store };
    };
    const { timeZone } = (await find(now())).store.calendar;
    const passages = checkedPassages(lines, timeZone, now());
    const { deviceId, storeId, store } = await find(passages.at(-1)?.at ?? now());
    const person = { ...author, name: by.trim() };
    const { credentialId } = caller;
    const audit = { deviceId, storeId, key, passages, author: person, note: note.trim(), credentialId };
    const id = await enterAudit(kysely, audit).catch(refused('passages'));
    await computeResults(kysely, now(), id);
    return itemOf(await findAudit(kysely, id), store);
  },
);

/** How long an audit may last, and how much the clocks of phones differ (ms). */
const [longest, ahead] = [12 * 60 * 60_000, 30_000];

const directions: Readonly<Record<string, Direction>> = { in: 1, '1': 1, '+1': 1, out: -1, '-1': -1 };

/** The passages in order of time. Throws `invalid_lines` with every mistake in them. */
function checkedPassages(
  lines: readonly GivenLine<'at' | 'direction'>[],
  timeZone: string,
  now: number,
): readonly Crossing[] {
  const instants = lines.map(({ text }) => parseInstantIn(text('at'), timeZone) ?? Infinity);
  const first = Math.min(...instants.filter((at) => at >= 0));
  const errors: LineError[] = [];
  const passages = lines.flatMap(({ line, text }, index) => {
    const wrong = (field: 'at' | 'direction', why: string) =>
      errors.push({ line, field, value: text(field), expected: why });
    const [at = 0, direction] = [instants[index], directions[text('direction').toLowerCase()]];
    if (at < 0 || at > now + ahead) wrong('at', expected.at);
    else if (at > first + longest) wrong('at', expected.range);
    if (direction === undefined) wrong('direction', expected.direction);
    return direction === undefined ? [] : [{ at, direction }];
  });
  if (errors.length > 0) throw invalidLines(errors);
  return passages.sort((a, b) => a.at - b.at);
}

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
    const deviceId =
      serial === undefined ? undefined : await findDevice(kysely, caller.companyId, nameKey(serial));
    /* A device that is or was in a store that the caller sees. */
    const seen = deviceId === undefined ? [] : await storesOfDevice(kysely, caller, deviceId);
    if (serial !== undefined && seen.length === 0) throw unknownResource('device', 'device');
    const { items, next } = await readPage(
      (limit) => listAudits(kysely, { storeIds: stores.ids, deviceId, before: idIn(after), limit }),
      ({ id }) => String(id),
      query.limit,
    );
    return { items: items.map((audit) => itemOf(audit, stores.of(audit.storeId))), next };
  },
);

function itemOf(audit: AuditFacts, { sid, calendar }: StoreFacts) {
  return auditItem(audit, sid, zonedFormatter(calendar.timeZone));
}
