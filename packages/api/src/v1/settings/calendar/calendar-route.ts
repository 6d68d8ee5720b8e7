import { runInNewContext } from 'node:vm';
import { InvalidField } from '@visitor-counter/database/configuration/read-entry';
import {
  exceptionShape,
  readStoreSettings,
  StoreSettings,
  saveStore,
} from '@visitor-counter/database/configuration/store';
import { businessDayOf } from '@visitor-counter/domain/business-day';
import type { OpeningException, OpeningHours } from '@visitor-counter/domain/opening-hours';
import { readOpeningHours } from '@visitor-counter/domain/read-opening-hours';
import { weekdays } from '@visitor-counter/domain/week';
import Type from 'typebox';
import { malformedBody } from '../../../problems/problems.ts';
import { route } from '../../routing/route.ts';
import { orNull, text } from '../../routing/shapes.ts';
import { storeInPath } from '../../stores/requested-stores.ts';
import { configure } from '../configure.ts';
import { type CalendarToRead, leftOutReasons, type ReadCalendar, readCalendar } from './read-calendar.ts';

const mediaType = 'text/calendar';

const leftOut = Type.Object({
  summary: text('Title of the event.'),
  date: orNull(text('Its first date.')),
  reason: Type.Enum([...leftOutReasons], {
    description:
      'Why: an all-day event that does not say closed, an event with times that says closed, cancelled, more than a ' +
      'year ago, more than two years ahead, longer than a day, repeated too often, in an unknown time zone, or not understood.',
  }),
});

/** Adds the events of a calendar to the exceptions of a store; an exception of the same date is replaced. */
export const postCalendar = route(
  {
    method: 'POST',
    path: '/v1/stores/:sid/opening-hours/calendar',
    summary: 'Import exceptions of the opening hours from a calendar',
    kinds: ['staff'],
    settings: 'store',
    query: Type.Object({
      allDay: Type.Optional(
        Type.Enum(['closed'], { description: 'closed: every all-day event is a closed day' }),
      ),
    }),
    rawBody: { texts: { [mediaType]: 'iCalendar (RFC 5545).' } },
    bodyLimit: 1024 * 1024,
    answer: Type.Object({
      imported: Type.Array(exceptionShape),
      leftOut: Type.Array(leftOut),
      openingHours: StoreSettings.properties.openingHours,
    }),
  },
  async (request, resources) => {
    const { query, sent } = request;
    const { now } = resources;
    if (typeof sent !== 'string') throw malformedBody(`The body must be ${mediaType}.`);
    const store = await storeInPath(request, resources);
    const { timeZone } = store.calendar;
    const { exceptions, leftOut } = importCalendar({
      text: sent,
      timeZone,
      allDayIsClosed: query.allDay === 'closed',
      today: businessDayOf(now(), store.calendar).date,
    });
    const openingHours = await configure(request, resources, async (trx, owner) => {
      const { openingHours } = await readStoreSettings(trx, store.id);
      if (exceptions.length === 0) return openingHours;
      const changed = withExceptions(openingHours, exceptions);
      await saveStore(trx, owner, { sid: store.sid, openingHours: changed });
      return changed;
    });
    return { imported: exceptions, leftOut, openingHours };
  },
);

/** A store that was always open is open all day on other dates. Throws InvalidField for too many exceptions. */
function withExceptions(hours: OpeningHours | null, added: readonly OpeningException[]): OpeningHours {
  const week = hours?.week ?? Object.fromEntries(weekdays.map((day) => [day, ['00:00-24:00']]));
  const dates = new Set(added.map(({ date }) => date));
  const others = (hours?.exceptions ?? []).filter(({ date }) => !dates.has(date));
  const result = readOpeningHours({ week, exceptions: [...others, ...added] }, 'openingHours');
  if (result.problems !== undefined) throw new InvalidField(result.problems);
  return result.value;
}

/** How long a calendar may take (ms): some rules, such as every 31 February, never end. */
const mostTime = 5_000;

/** Reads a calendar; other requests wait meanwhile. Throws `malformed_body`. */
export function importCalendar(input: CalendarToRead, timeout = mostTime): ReadCalendar {
  try {
    return runInNewContext('read()', { read: () => readCalendar(input) }, { timeout });
  } catch (error) {
    /* Not an Error of this context. */
    const isLate = Object(error).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
    const reason = isLate
      ? 'The calendar repeats its events too often, or is too long.'
      : 'The body is not iCalendar (RFC 5545).';
    throw malformedBody(reason);
  }
}
