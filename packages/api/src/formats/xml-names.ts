import { ConfigurationError } from '@visitor-counter/service/configuration-error';
import { type Environment, text } from '@visitor-counter/service/environment';
import type { RecordShape } from './format.ts';

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

/** Reads the names from the environment. Throws a ConfigurationError. */
export function readXmlNames(env: Environment): XmlNames {
  const CountEvent = elementName(env, 'XML_COUNT_EVENT', 'CountEvent');
  const InactiveDevice = elementName(env, 'XML_INACTIVE_DEVICE', 'InactiveDevice');
  if (InactiveDevice === CountEvent) {
    throw new ConfigurationError('XML_INACTIVE_DEVICE', InactiveDevice, 'another name than XML_COUNT_EVENT');
  }
  return {
    namespace: namespace(env, 'XML_NAMESPACE', 'http://tempuri.org/'),
    records: { CountEvent, InactiveDevice },
  };
}

function namespace(env: Environment, name: string, fallback: string): string {
  const value = text(env, name) ?? fallback;
  if (URL.canParse(value) && /^[!-~]{1,256}$/.test(value)) return value;
  throw new ConfigurationError(name, value, 'an absolute URI, such as http://tempuri.org/');
}

/** A name for an element and for a class in every language that proxies are generated in. */
function elementName(env: Environment, name: string, fallback: string): string {
  const value = text(env, name) ?? fallback;
  if (/^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(value)) return value;
  throw new ConfigurationError(name, value, 'a letter or "_", then letters, digits or "_"');
}
