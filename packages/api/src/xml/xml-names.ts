import type { RecordShape } from '../formats/format.ts';

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

/** A record with its name in XML. */
export function namedForXml(record: RecordShape, names: XmlNames): RecordShape {
  return { name: xmlName(record, names), fields: record.fields };
}
