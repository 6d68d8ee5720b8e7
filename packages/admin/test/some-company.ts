import fc from 'fast-check';

const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });

const name = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .filter((text) => text.trim() !== '' && text.isWellFormed() && !/\p{Cc}/u.test(text));

const store = fc.record({
  sid: fc.constantFrom('a', 'A', 'b', 'c'),
  name,
  timeZone: fc.constantFrom('UTC', 'Asia/Tokyo'),
  city: maybe(name),
  dayStartsAt: maybe(fc.constantFrom('00:00', '06:30')),
});

const credential = fc.record({
  kind: fc.constantFrom('counts', 'staff'),
  label: fc.constantFrom('x', 'y'),
  expires: maybe(fc.constantFrom('never', '2030-01-01')),
});

const stores = fc.uniqueArray(store, { minLength: 1, selector: ({ sid }) => sid });

/** One of two companies in the form of a topology file; each draw differs in some of what it owns. */
export const someCompany = fc.tuple(fc.constantFrom('Acme', 'Bell'), stores).chain(([company, itsStores]) => {
  const sid = fc.constantFrom(...itsStores.map((one) => one.sid));
  const group = fc.record({ name: fc.constantFrom('g', 'h'), stores: maybe(fc.uniqueArray(sid)) });
  const device = fc.record({
    serial: fc.constantFrom(`${company}-1`, `${company}-2`, `${company}-3`),
    name: maybe(name),
    store: sid,
    secret: maybe(fc.constantFrom('k7Qz0vXw3mRt9LpB', 'b4Nc8yHj2sDf6GaE')),
    since: maybe(fc.constantFrom('2026-01-01T00:00:00Z', '2026-06-01T00:00:00+02:00')),
    retired: maybe(fc.boolean()),
  });
  return fc.record({
    name: fc.constantFrom(company, company.toUpperCase()),
    stores: fc.constant(itsStores),
    shopGroups: fc.uniqueArray(group, { selector: (one) => one.name }),
    devices: fc.uniqueArray(device, { selector: ({ serial }) => serial }),
    credentials: fc.uniqueArray(credential, { selector: ({ kind, label }) => kind + label }),
  });
});
