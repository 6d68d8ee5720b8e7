import type { XmlNames } from '../formats/xml-names.ts';

/** The names that XML has where nothing else is configured. */
export const xmlNames: XmlNames = {
  namespace: 'http://tempuri.org/',
  records: { CountEvent: 'CountEvent', InactiveDevice: 'InactiveDevice' },
};
