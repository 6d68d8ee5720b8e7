import Type from 'typebox';

/**
 * The parameters of the interface: requests are validated by these schemas, and OpenAPI and WSDL are made from
 * them. A value may also be sent as text, which every form and envelope does.
 */

export const CompanyName = Type.String({
  description: 'Name of the company. Compared trimmed, in Unicode NFC and without case.',
  examples: ['Acme'],
  minLength: 1,
});

export const Token = Type.String({
  description: 'The custom security token of the company, of kind `counts`.',
  examples: ['<TOKEN>'],
  minLength: 1,
});

export const InactiveForHours = Type.Number({
  description: 'Hours without a communication up to now: a decimal number above 0, dot as separator.',
  examples: [24, 2.5],
  exclusiveMinimum: 0,
  format: 'float',
});

export const ShopGroupName = Type.String({
  description: 'Name of one of the company’s shop groups. Compared like CompanyName.',
  examples: ['West'],
  minLength: 1,
});

export const SerialNumber = Type.String({
  description: 'Serial number of one of the company’s devices. Compared like CompanyName.',
  examples: ['CU-0001'],
  minLength: 1,
});

export const DateFrom = Type.String({
  description:
    'Begin of the range. `YYYY-MM-DD`: the business day of each store that begins on that date, in the ' +
    'store’s time zone. Or a date-time as in RFC 3339; without an offset it is the store’s local time.',
  examples: ['2026-11-20', '2026-11-20T08:00:00+01:00'],
  minLength: 1,
});

export const DateTo = Type.String({
  description: 'End of the range, written like DateFrom. A date includes its day, a date-time is exclusive.',
  examples: ['2026-11-20', '2026-11-20T20:00:00+01:00'],
  minLength: 1,
});

export const In = Type.Boolean({
  description:
    '`true`: only entries; `false`: only exits; not given: both. Also 1 and 0. Amount is the same in every case.',
  examples: [true],
});
