import { xmlText } from '../xml/xml-text.ts';
import type { Format, RecordShape } from './format.ts';

/** XML as ASMX answers a form: the root `ArrayOf<Record>`, indented, in the namespace of the service. */
export function xml({ name, fields }: RecordShape, namespace: string): Format {
  return {
    mediaType: 'text/xml; charset=utf-8',
    begin: `${declaration}\r\n<ArrayOf${name} ${schemaPrefixes} xmlns="${xmlText(namespace)}">`,
    separator: '',
    records: recordsWriter({ name, fields }, ['\r\n  ', '\r\n    ']),
    end: `\r\n</ArrayOf${name}>`,
  };
}

export const declaration = '<?xml version="1.0" encoding="utf-8"?>';

const schemaPrefixes =
  'xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';

/** Writes records as elements, with their fields as elements in them; what is in front of each is given. */
export function recordsWriter(
  { name, fields }: RecordShape,
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
