import type { XmlNames } from '../src/formats/xml.ts';

/** The names that XML has where nothing else is configured. */
export const xmlNames: XmlNames = {
  namespace: 'http://tempuri.org/',
  records: { CountEvent: 'CountEvent', InactiveDevice: 'InactiveDevice' },
};
