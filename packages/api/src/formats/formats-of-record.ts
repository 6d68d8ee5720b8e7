import { csv, type Format, type FormatName, json } from './formats.ts';
import { fieldNames, type RecordDescription } from './records.ts';
import { type XmlNames, xml, xmlName } from './xml.ts';

/** The formats in which an operation's records are answered over plain HTTP. */
export function formatsOf(record: RecordDescription, names: XmlNames): Readonly<Record<FormatName, Format>> {
  const fields = fieldNames(record);
  return {
    json,
    xml: xml(xmlName(record, names), fields, names.namespace),
    csv: csv(fields),
    'raw-csv': csv(fields, true),
  };
}
