import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { Environment } from '@visitor-counter/service/settings/environment';
import { textLike } from '@visitor-counter/service/settings/kinds';
import { readSettings, type Settings } from '@visitor-counter/service/settings/setting';
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

/** A name for an element and for a class in every language that proxies are generated in. */
const elementName = textLike('a letter or "_", then letters, digits or "_"', (text) =>
  /^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(text),
);

export const xmlSettings = {
  XML_NAMESPACE: {
    kind: textLike(
      'an absolute URI, such as http://tempuri.org/',
      (text) => URL.canParse(text) && /^[!-~]{1,256}$/.test(text),
    ),
    default: 'http://tempuri.org/',
    does: 'The namespace of XML and SOAP, for callers whose proxies were generated elsewhere.',
  },
  XML_COUNT_EVENT: {
    kind: elementName,
    default: 'CountEvent',
    does: 'The name of the record of a count there.',
  },
  XML_INACTIVE_DEVICE: {
    kind: elementName,
    default: 'InactiveDevice',
    does: 'The name of the record of an inactive device there.',
  },
} satisfies Settings;

/** Reads the names from the environment. Throws a ConfigurationError. */
export function readXmlNames(env: Environment): XmlNames {
  const settings = readSettings(xmlSettings, env);
  const { XML_COUNT_EVENT: CountEvent, XML_INACTIVE_DEVICE: InactiveDevice } = settings;
  if (InactiveDevice === CountEvent) {
    throw new ConfigurationError('XML_INACTIVE_DEVICE', InactiveDevice, 'another name than XML_COUNT_EVENT');
  }
  return { namespace: settings.XML_NAMESPACE, records: { CountEvent, InactiveDevice } };
}
