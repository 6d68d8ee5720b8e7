import { alertKinds } from '@visitor-counter/database/alerts/alert-kinds';
import { type AlertFacts, listAlerts } from '@visitor-counter/database/alerts/list-alerts';
import type { StoreFacts } from '@visitor-counter/database/stores/store-facts';
import { utcText } from '@visitor-counter/domain/time';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import Type, { type Static } from 'typebox';
import { Check } from 'typebox/value';
import { columnsOf } from './routing/list-columns.ts';
import { after, invalidCursor, limit, listOf, readPage } from './routing/pages.ts';
import { route } from './routing/route.ts';
import { fromInstant, instant, orNull, readFrom, storeFilter, text } from './routing/shapes.ts';
import { requestedStores } from './stores/requested-stores.ts';

/** By default ended alerts are listed this far back (ms). */
const lately = 86_400_000;

const details = {
  beam: Type.Optional(text('The beam by its position: `beam 1` or `beam 2`.')),
  flapping: Type.Optional(text('The kind of alert that begins again and again.')),
  occupancy: Type.Optional(Type.Integer({ description: 'People inside when it was raised.' })),
  capacity: Type.Optional(Type.Integer({ description: 'Capacity of the store then.' })),
  people: Type.Optional(Type.Integer({ description: 'People who came in while the store was closed.' })),
};

const alert = Type.Object(
  {
    id: text('Id of the alert, as in its messages.'),
    kind: Type.Enum([...alertKinds, 'flapping']),
    store: orNull(text('Store id; null for the whole company.')),
    device: orNull(text('Serial number.')),
    ...details,
    since: Type.Optional(instant('When the condition began, if that is known.')),
    beganAt: instant('When the condition had lasted as long as the rule requires.'),
    raisedAt: instant('When it was raised.'),
    clearedAt: orNull(instant('When it ended; null while it is open.')),
  },
  { $id: 'Alert' },
);

/** A cursor is the id of an alert. */
const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The alerts of the stores that the caller sees, the last raised first; also those of the company if no store is requested. */
export const getAlerts = route(
  {
    method: 'GET',
    path: '/v1/alerts',
    summary: 'Alerts that are open, and those that ended recently',
    kinds: ['counts', 'staff'],
    query: Type.Object({
      store: storeFilter,
      from: fromInstant,
      after,
      limit: limit(),
    }),
    answer: listOf(alert),
    columns: columnsOf(alert, 'flapping', 'occupancy', 'capacity', 'people'),
  },
  async ({ caller, query }, { database, now }) => {
    const from = readFrom(query.from) ?? now() - lately;
    if (query.after !== undefined && !isId.test(query.after)) throw invalidCursor(query.after);
    const stores = await requestedStores(database.kysely, caller, query.store);
    const wanted = {
      companyId: caller.companyId,
      storeIds: stores.ids,
      ofCompany: query.store === undefined,
      from,
      after: query.after,
    };
    const { items, next } = await readPage(
      (limit) => listAlerts(database.kysely, { ...wanted, limit }),
      ({ id }) => id,
      query.limit,
    );
    const storeOf = ({ storeId: id }: AlertFacts) => (id === null ? undefined : stores.of(id));
    return { items: items.map((one) => alertItem(one, storeOf(one))), next };
  },
);

/** The stored details of an alert. */
const About = Type.Object({ ...details, since: Type.Optional(Type.String()) });

function alertItem(facts: AlertFacts, store: StoreFacts | undefined) {
  const { id, kind, serial, beganAt, raisedAt, clearedAt } = facts;
  const format = store ? zonedFormatter(store.calendar.timeZone) : utcText;
  const about: Static<typeof About> = Check(About, facts.about) ? facts.about : {};
  const { beam, flapping, occupancy, capacity, people, since: began = '' } = about;
  const since = Date.parse(began);
  return {
    id,
    kind,
    store: store?.sid ?? null,
    device: serial,
    beam,
    flapping,
    occupancy,
    capacity,
    people,
    since: Number.isNaN(since) ? undefined : format(since),
    beganAt: format(beganAt),
    raisedAt: format(raisedAt),
    clearedAt: clearedAt === null ? null : format(clearedAt),
  };
}
