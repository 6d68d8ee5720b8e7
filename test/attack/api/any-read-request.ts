import { routes } from '@visitor-counter/api/v1/routes';
import type { RouteDescription } from '@visitor-counter/api/v1/routing/route';
import fc from 'fast-check';
import { mutated } from './bodies.ts';
import { anyText } from './parameters.ts';
import type { FuzzRequest } from './send.ts';
import { lifeSignalKey, readCredentials, rightFields, sessionValue } from './world.ts';

/** A field and its value, sometimes missing, sometimes invalid. */
const field = (name: string) =>
  fc.option(
    fc.oneof(
      { weight: 12, arbitrary: fc.constantFrom(...(rightFields[name] ?? ['x'])) },
      { weight: 1, arbitrary: anyText },
      { weight: 1, arbitrary: fc.jsonValue() },
    ),
    { freq: 3 },
  );

const fieldsOf = (names: readonly string[]) =>
  fc.tuple(...names.map((name) => field(name).map((value) => [name, value] as const)));

const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed();

const pathOf = (template: string) =>
  fieldsOf([...template.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '')).map((fields) =>
    fields.reduce(
      (path, [name, value]) => path.replace(`:${name}`, encodeURIComponent(text(value))),
      template,
    ),
  );

const queryOf = ({ query }: RouteDescription) =>
  fc
    .tuple(
      fieldsOf(Object.keys(query?.properties ?? {})),
      fc.array(fc.tuple(anyText, anyText), { maxLength: 1 }),
    )
    .map(([own, strays]) => {
      const given = [...own.filter(([, value]) => value !== null), ...strays];
      return String(new URLSearchParams(given.map(([name, value]): [string, string] => [name, text(value)])));
    });

const bodyOf = ({ body }: RouteDescription) =>
  fieldsOf(Object.keys(body?.properties ?? {})).chain((fields) =>
    mutated(Buffer.from(fields.length === 0 ? '' : JSON.stringify(Object.fromEntries(fields)))),
  );

const headers = fc.record(
  {
    authorization: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...readCredentials.map((value) => `Bearer ${value}`)) },
      { weight: 1, arbitrary: fc.constantFrom(lifeSignalKey, '', 'Bearer', 'Basic YTpi') },
    ),
    cookie: fc.constantFrom(`visitor-counter=${sessionValue}`, 'visitor-counter=x', ';=;', 'visitor-counter'),
    accept: fc.constantFrom('application/json', 'text/csv', '*/*', 'text/xml;q=0', ';', 'text/event-stream'),
    'content-type': fc.oneof(
      { weight: 12, arbitrary: fc.constant('application/json') },
      { weight: 1, arbitrary: fc.constantFrom('', 'text/xml', 'application/json; charset=utf-16') },
    ),
    'x-requested-with': fc.constant('fetch'),
  },
  { requiredKeys: ['content-type'] },
);

/** A request to one of the paths of the read interface, invalid in some places and valid in all others. */
export const anyReadRequest: fc.Arbitrary<FuzzRequest> = fc.constantFrom(...routes).chain((route) =>
  fc
    .record({
      method: fc.oneof(
        { weight: 20, arbitrary: fc.constant<string>(route.method) },
        { weight: 1, arbitrary: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS') },
      ),
      path: pathOf(route.path),
      query: queryOf(route),
      headers,
      body: bodyOf(route),
    })
    .map(({ path, query, ...request }) => ({ ...request, path: query === '' ? path : `${path}?${query}` })),
);
