import type { RecordShape } from '../formats/format.ts';

/** The names that XML answers and the WSDL have, for those whose proxies come from elsewhere. */
export interface XmlNames {
  readonly namespace: string;
  /** What each record is called, by its own name. */
  readonly records: Readonly<Record<string, string>>;
}

/** A record with its name in XML. */
export function namedForXml({ name, fields }: RecordShape, { records }: XmlNames): RecordShape {
  return { name: records[name] ?? name, fields };
}
