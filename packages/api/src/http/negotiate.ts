import type { IncomingHttpHeaders } from 'node:http';
import Negotiator from 'negotiator';
import type { FormatName } from '../formats/formats.ts';

/** In the order of preference where a caller has none. */
const formats: Readonly<Record<string, FormatName>> = {
  'application/json': 'json',
  'application/problem+json': 'json',
  'text/xml': 'xml',
  'application/xml': 'xml',
  'application/problem+xml': 'xml',
  'text/csv': 'csv',
  'text/csv;raw=true': 'raw-csv',
};

/**
 * The format that a caller prefers by `Accept`; JSON when none of them is acceptable. Proxies generated from
 * a WSDL document by .NET (and Mono) send no `Accept` and read XML only: they are recognised by their user agent.
 */
export function preferredFormat(headers: IncomingHttpHeaders): FormatName {
  if (headers.accept === undefined && proxyOfDotNet.test(headers['user-agent'] ?? '')) return 'xml';
  const [best = ''] = new Negotiator({ headers }).mediaTypes(Object.keys(formats));
  return formats[best] ?? 'json';
}

const proxyOfDotNet = /\b(MS|Mono) Web Services Client Protocol\b/;
