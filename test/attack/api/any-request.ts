import fc from 'fast-check';
import { type EnvelopeStyle, envelopeOf, envelopeStyles, formOf, jsonOf, mutated } from './bodies.ts';
import { anyCall, type FuzzCall } from './parameters.ts';
import type { FuzzRequest } from './send.ts';
import { lifeSignalKey } from './world.ts';

const service = '/public/Service.asmx';

const anyHeaderText = fc.string({
  unit: fc.integer({ min: 33, max: 126 }).map((code) => String.fromCharCode(code)),
});

const authorization = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(lifeSignalKey, `Bearer ${lifeSignalKey}`) },
  { weight: 1, arbitrary: fc.constantFrom('', 'Bearer', 'Basic YTpi') },
  { weight: 1, arbitrary: anyHeaderText },
);

const accept = fc.oneof(
  fc.constantFrom(
    '*/*',
    'application/json',
    'text/xml',
    'application/xml;q=0.9',
    'text/csv',
    'text/csv, */*;q=0.1',
  ),
  fc.constantFrom(
    '',
    'text/xml;q=0',
    'application/json;q=x',
    ';',
    'application/problem+xml',
    'text/*',
    'image/png',
  ),
  anyHeaderText,
);

const contentType = (usual: string) =>
  fc.oneof(
    { weight: 30, arbitrary: fc.constant(usual) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('', 'text/plain', `${usual}; charset=utf-16`, `${usual}; charset=UTF-8`),
    },
    { weight: 1, arbitrary: anyHeaderText },
  );

const path = (usual: string) =>
  fc.oneof(
    { weight: 20, arbitrary: fc.constant(usual) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(service, `${service}?WSDL`, '/health', '/openapi.json', '/', `${usual}/x`),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(usual.toLowerCase(), `${usual}?Token=x&op=y`, `/%00${usual}`, `${usual}%zz`),
    },
    { weight: 1, arbitrary: fc.webPath().map((text) => `/${text}`) },
  );

const method = fc.oneof(
  { weight: 20, arbitrary: fc.constant('POST') },
  { weight: 1, arbitrary: fc.constantFrom('GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH') },
);

/** The encoding of a call: path, content type and bytes. */
interface Written {
  readonly usualPath: string;
  readonly usualType: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text: string;
}

const anyWritten: fc.Arbitrary<Written> = fc
  .tuple(anyCall, fc.jsonValue(), fc.constantFrom(...envelopeStyles), fc.nat(5))
  .map(([call, strange, style, way]) => {
    const usualPath = `${service}/${call.operation}`;
    if (way < 2)
      return { usualPath, usualType: 'application/x-www-form-urlencoded', text: formOf(call.given) };
    if (way < 4) return { usualPath, usualType: 'application/json', text: jsonOf(call.given, strange) };
    return soap(call, style, way === 4);
  });

function soap({ operation, given }: FuzzCall, style: EnvelopeStyle, isOld: boolean): Written {
  const action = `http://tempuri.org/${operation}`;
  const namespace = isOld
    ? 'http://schemas.xmlsoap.org/soap/envelope/'
    : 'http://www.w3.org/2003/05/soap-envelope';
  const text = envelopeOf(operation, given, namespace, style);
  const usualPath = service;
  if (isOld) return { usualPath, usualType: 'text/xml', headers: { soapaction: `"${action}"` }, text };
  return { usualPath, usualType: `application/soap+xml; action="${action}"`, text };
}

/** A request as a client may send it that is invalid in some places and valid in all others. */
export const anyRequest: fc.Arbitrary<FuzzRequest> = anyWritten.chain(
  ({ usualPath, usualType, headers = {}, text }) =>
    fc
      .record({
        method,
        path: path(usualPath),
        type: contentType(usualType),
        accept: fc.option(accept),
        authorization: fc.option(authorization, { freq: 8 }),
        body: mutated(Buffer.from(text)),
      })
      .map(({ type, accept, authorization, ...request }) => ({
        ...request,
        headers: {
          ...headers,
          'content-type': type,
          ...(accept !== null && { accept }),
          ...(authorization !== null && { authorization }),
        },
      })),
);
