import { readXml, type XmlElement } from '../src/asmx/soap/read-xml.ts';
import { type SoapVersion, soap11, soap12 } from '../src/asmx/soap/soap-version.ts';
import { checkedFetch } from './checked-fetch.ts';

const namespace = 'http://tempuri.org/';

/** A message as a generated proxy writes it. */
export function envelope(version: SoapVersion, operation: string, parameters: object, header = ''): string {
  const elements = Object.entries(parameters).map(([name, value]) => `<${name}>${value}</${name}>`);
  return (
    `<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="${version.envelope}">${header}<soap:Body>` +
    `<${operation} xmlns="${namespace}">${elements.join('')}</${operation}></soap:Body></soap:Envelope>`
  );
}

/** The header fields that go with a message. */
export function soapHeaders(version: SoapVersion, action: string): Record<string, string> {
  return version === soap11
    ? { 'content-type': 'text/xml; charset=utf-8', soapaction: `"${action}"` }
    : { 'content-type': `application/soap+xml; charset=utf-8; action="${action}"` };
}

export const versions = [
  ['1.1', soap11],
  ['1.2', soap12],
] as const;

interface SoapAnswer {
  readonly status: number;
  readonly contentType: string | null;
  readonly text: string;
  /** The element in the body. */
  readonly content: XmlElement | undefined;
}

export async function sendSoap(
  url: string,
  headers: Record<string, string>,
  body: string,
): Promise<SoapAnswer> {
  const answer = await checkedFetch(url, { method: 'POST', headers, body });
  const text = await answer.text();
  const contentType = answer.headers.get('content-type');
  const isXml = /xml/.test(contentType ?? '');
  const content = isXml ? readXml(Buffer.from(text)).children[0]?.children[0] : undefined;
  return { status: answer.status, contentType, text, content };
}

/** The text of all elements of a name within one, in document order. */
export function textsOf(element: XmlElement | undefined, name: string): string[] {
  if (element === undefined) return [];
  const own = element.name === name ? [element.text] : [];
  return [...own, ...element.children.flatMap((child) => textsOf(child, name))];
}
