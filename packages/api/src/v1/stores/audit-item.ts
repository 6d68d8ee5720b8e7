import type { AuditFacts } from '@visitor-counter/database/accuracy/audits';
import Type from 'typebox';
import { count, instant, orNull, text } from '../routing/shapes.ts';

const share = (description: string) => Type.Number({ description });

const direction = Type.Object(
  {
    observed: count('People that the person saw.'),
    counted: count('People that the unit counted in the same time.'),
    missed: count('People that only the person saw.'),
    extra: count('People that only the unit counted.'),
    error: orNull(share('counted / observed - 1, such as -0.012; null if nobody was seen.')),
    interval: orNull(
      Type.Object(
        { low: share('Lower limit.'), high: share('Upper limit.') },
        { description: 'The 95 % interval of the error.' },
      ),
    ),
  },
  { $id: 'DirectionAccuracy' },
);

export const auditShape = Type.Object(
  {
    id: text('The id that the caller has made.'),
    device: text('Serial number.'),
    store: text('Store id.'),
    from: instant('The first passage.'),
    to: instant('The last passage.'),
    seen: Type.Object({ in: count('Passages in.'), out: count('Passages out.') }),
    by: text('Who was at the door.'),
    note: text('Their note.'),
    enteredAt: instant('When it was entered.'),
    credential: orNull(text('Label of the credential.')),
    result: Type.Union([
      Type.Literal('pending', {
        description: 'The unit has not delivered everything up to 3 s after the last passage.',
      }),
      Type.Literal('removed', {
        description: 'The crossings of that time were removed before the unit had delivered everything.',
      }),
      Type.Object({
        lag: Type.Number({ description: 'Seconds by which the passages are later than the crossings.' }),
        in: direction,
        out: direction,
      }),
    ]),
  },
  { $id: 'AccuracyAudit' },
);

/** An audit in an answer, with instants as `format` writes them. */
export function auditItem(audit: AuditFacts, store: string, format: (instant: number) => string) {
  const { state, lag, entries, exits, credential, note } = audit;
  return {
    id: audit.key,
    device: audit.serial,
    store,
    from: format(audit.firstAt),
    to: format(audit.lastAt),
    seen: { in: audit.entriesSeen, out: audit.exitsSeen },
    by: audit.enteredBy,
    note,
    enteredAt: format(audit.enteredAt),
    credential,
    result:
      state !== 'computed' || lag === null || entries === null || exits === null
        ? state
        : { lag: lag / 1_000, in: entries, out: exits },
  };
}
