import { escapeUTF8 } from 'entities';
import type { LineError, ProblemRecord } from '../problems/problems.ts';
import type { Format } from './formats.ts';

/** XML as ASMX answers a form: the root `ArrayOf<Record>`, indented, in the namespace of the service. */
export function xml(name: string, fields: readonly string[], namespace: string): Format {
  return {
    mediaType: 'text/xml; charset=utf-8',
    begin: `${declaration}\r\n<ArrayOf${name} ${schemaPrefixes} xmlns="${xmlText(namespace)}">`,
    separator: '',
    records: recordsWriter(name, fields, ['\r\n  ', '\r\n    ']),
    end: `\r\n</ArrayOf${name}>`,
  };
}

export const declaration = '<?xml version="1.0" encoding="utf-8"?>';

const schemaPrefixes =
  'xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';

/** Writes records as elements, with their fields as elements in them; after the given text before each. */
export function recordsWriter(
  name: string,
  fields: readonly string[],
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
export function problemMarkup(record: ProblemRecord): Markup {
  const { type, title, status, code, detail, parameter, errors } = record;
  const about = parameter === undefined ? undefined : markup`<parameter>${parameter}</parameter>`;
  const lines = errors && markup`<errors>${errors.map(lineMarkup)}</errors>`;
  return markup`<problem xmlns="urn:ietf:rfc:7807"><type>${type}</type><title>${title}</title><status>${status}</status><code>${code}</code><detail>${detail}</detail>${about}${lines}</problem>`;
}

function lineMarkup({ line, field, value, expected }: LineError): Markup {
  return markup`<i><line>${line}</line><field>${field}</field><value>${value}</value><expected>${expected}</expected></i>`;
}

export function problemXml(record: ProblemRecord): string {
  return declaration + problemMarkup(record).text;
}

/** The names that XML answers and the WSDL have, for those whose proxies come from elsewhere. */
export interface XmlNames {
  readonly namespace: string;
  /** What each record is called, by its own name. */
  readonly records: Readonly<Record<string, string>>;
}

/** What a record is called in XML. */
export function xmlName({ name }: { readonly name: string }, { records }: XmlNames): string {
  return records[name] ?? name;
}

/** Text that is markup already: XML, or HTML that XML rules escape. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Content = string | number | Markup | readonly Markup[] | undefined;

/**
 * A template of markup, as in markup`<b>${name}</b>`. Strings are escaped, for elements and for quoted
 * attributes alike; markup is inserted unchanged, arrays one after another; undefined is nothing.
 */
export function markup(strings: TemplateStringsArray, ...contents: readonly Content[]): Markup {
  return new Markup(String.raw({ raw: strings }, ...contents.map(textOf)));
}

function textOf(content: Content): string {
  if (content === undefined) return '';
  if (content instanceof Markup) return content.text;
  return typeof content === 'object' ? content.map(textOf).join('') : xmlText(String(content));
}

/**
 * Text escaped for an XML element or attribute. Characters that XML 1.0 cannot have, not even escaped,
 * become U+FFFD: control characters, halves of surrogate pairs, U+FFFE and U+FFFF. A carriage return is
 * written as a reference, since parsers read a bare one as a line feed.
 */
export function xmlText(text: string): string {
  if (!special.test(text)) return text;
  return escapeUTF8(text.replace(notXml, '\uFFFD')).replaceAll('\r', '&#xD;');
}

/** All but `Char` of XML 1.0, section 2.2. */
const notXml = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;
const special = new RegExp(`[&<>"'\\r]|${notXml.source}`, 'u');
