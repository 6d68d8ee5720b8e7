import Type from 'typebox';

/** What every list takes that can be answered as CSV. */
export const csvQuery = Type.Object({
  raw: Type.Optional(
    Type.Enum(['true', 'false'], {
      description:
        'true or false: in CSV, whether text that a spreadsheet would take for a formula is written unchanged',
    }),
  ),
});
