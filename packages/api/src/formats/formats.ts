import { namedForXml, type XmlNames } from '../xml/xml-names.ts';
import { csv } from './csv.ts';
import type { Format, RecordShape } from './format.ts';
import { json } from './json.ts';
import { xml } from './xml.ts';

export type FormatName = 'json' | 'xml' | 'csv' | 'raw-csv';

/** The formats in which an operation's records are answered over plain HTTP. */
export function formatsOf(record: RecordShape, names: XmlNames): Readonly<Record<FormatName, Format>> {
  return {
    json,
    xml: xml(namedForXml(record, names), names.namespace),
    csv: csv(record),
    'raw-csv': csv(record, { raw: true }),
  };
}
