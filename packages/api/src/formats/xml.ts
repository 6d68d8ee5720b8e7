import type { ProblemRecord } from '../problems/problem.ts';
import { type Markup, markup, xmlText } from '../xml/markup.ts';
import type { Format, RecordShape } from './format.ts';

/** XML as ASMX answers a form: the root `ArrayOf<Record>`, indented, in the namespace of the service. */
export function xml({ name, fields }: RecordShape, namespace: string): Format {
  return {
    mediaType: 'text/xml; charset=utf-8',
    begin: `${declaration}\r\n<ArrayOf${name} ${schemaPrefixes} xmlns="${xmlText(namespace)}">`,
    separator: '',
    records: recordsWriter({ name, fields }, ['\r\n  ', '\r\n    ']),
    end: `\r\n</ArrayOf${name}>`,
  };
}

export const declaration = '<?xml version="1.0" encoding="utf-8"?>';

const schemaPrefixes =
  'xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';

/** Writes records as elements, with their fields as elements in them; after the given text before each. */
export function recordsWriter(
  { name, fields }: RecordShape,
  [beforeRecord, beforeField] = ['', ''],
): (batch: readonly object[]) => string {
  const begin = `${beforeRecord}<${name}>`;
  const end = `${beforeRecord}</${name}>`;
  const tags = fields.map((field) => [`${beforeField}<${field}>`, `</${field}>`] as const);
  return (batch) => {
    let text = '';
    for (const record of batch) {
      const values = Object.values(record);
      text += begin;
      tags.forEach(([open, close], index) => {
        text += open + xmlText(String(values[index])) + close;
      });
      text += end;
    }
    return text;
  };
}

/** A problem as RFC 9457 has it in XML (appendix B), the service's own members in the same namespace. */
export function problemMarkup({ type, title, status, code, detail, parameter }: ProblemRecord): Markup {
  const about = parameter === undefined ? undefined : markup`<parameter>${parameter}</parameter>`;
  return markup`<problem xmlns="urn:ietf:rfc:7807"><type>${type}</type><title>${title}</title><status>${status}</status><code>${code}</code><detail>${detail}</detail>${about}</problem>`;
}

export function problemXml(record: ProblemRecord): string {
  return declaration + problemMarkup(record).text;
}
