import { parseInstant } from '@visitor-counter/domain/time';
import { dateExpected, isDate } from '@visitor-counter/domain/time-zone';
import Type, { type TSchema } from 'typebox';
import { invalidParameter } from '../../problems/problems.ts';

/* What routes of /v1 have in common in their requests and answers, as OpenAPI describes it. */

export const text = (description: string) => Type.String({ description });
export const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
export const instant = (description: string) => Type.String({ description, format: 'date-time' });
export const date = (description: string) => Type.String({ description, format: 'date' });
export const count = (description: string) => Type.Integer({ description, minimum: 0 });

/** A time of stores with different offsets has none. */
export const timePattern = '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d';
export const time = (description: string) => Type.String({ description, pattern: timePattern });

/** Money, as text so that no program rounds it. */
export const amountPattern = '^-?\\d+\\.\\d\\d$';
export const amount = (description: string) => Type.String({ description, pattern: amountPattern });

/** Of every object in a body: the caller would not notice that a misspelled field was ignored. */
export const noOtherFields = { additionalProperties: false } as const;

/* Parameters; a description ends the sentence "<name> must be …". */

export const storeSid = Type.String({ description: 'the sid of a store', maxLength: 200 });
export const storeFilter = Type.Optional(storeSid);
export const groupFilter = Type.Optional(
  Type.String({ description: 'the name of a shop group', maxLength: 200 }),
);

const instantExpected = 'an RFC 3339 date-time with offset';

export const fromInstant = Type.Optional(text(instantExpected));

/** The instant (epoch ms) of the parameter `from`, if it is given. Throws `invalid_parameter`. */
export function readFrom(from: string | undefined): number | undefined {
  const instant = from === undefined ? undefined : parseInstant(from);
  if (from !== undefined && instant === undefined) throw invalidParameter('from', from, instantExpected);
  return instant;
}

/** A date in a query. */
export const day = Type.Optional(Type.Refine(date(dateExpected), isDate));

/** Throws `invalid_parameter` for a range of days that ends before it begins. */
export function requireOrder({ from, to }: { readonly from?: string; readonly to?: string }): void {
  if (from !== undefined && to !== undefined && from > to) {
    throw invalidParameter('from', from, `a date that is not after \`to\`, which is ${to}`);
  }
}
