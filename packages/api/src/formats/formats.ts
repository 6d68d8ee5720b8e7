import { csv } from './csv.ts';
import type { Format, RecordShape } from './format.ts';
import { xml } from './xml.ts';
import { namedForXml, type XmlNames } from './xml-names.ts';

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

/** A JSON array of objects. */
export const json: Format = {
  mediaType: 'application/json; charset=utf-8',
  begin: '[',
  separator: ',',
  records: (batch) => JSON.stringify(batch).slice(1, -1),
  end: ']',
};
