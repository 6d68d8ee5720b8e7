import Type from 'typebox';

/** What every list takes that can be answered as CSV. */
export const csvQuery = Type.Object({
  raw: Type.Optional(
    Type.Enum(['true', 'false'], {
      description:
        'true or false: of CSV, whether text that a spreadsheet takes for a formula is written as it is',
    }),
  ),
});
