import { SaxesParser, type SaxesTagNS } from 'saxes';
import { utf8Text } from '../../http/request-body.ts';
import { malformedBody } from '../../problems/problems.ts';

/** An element as it was read, its names resolved to namespaces. */
export interface XmlElement {
  /** Empty for none. */
  readonly namespace: string;
  /** The name without prefix. */
  readonly name: string;
  readonly children: readonly XmlElement[];
  /** Its own text with CDATA, without the text of its children. */
  readonly text: string;
  attribute(namespace: string, name: string): string | undefined;
}

/** Elements within one another, and attributes of one element, namespace declarations included. */
const limits = { depth: 32, attributes: 64 };

/**
 * Reads a document, which is in memory as a whole: the caller must limit its size. Throws `malformed_body` for what is
 * not UTF-8 or not well-formed, for a document type declaration, so that there are no entities but the five of XML
 * itself, and for a document beyond the limits.
 */
export function readXml(body: Uint8Array): XmlElement {
  const open: OpenElement[] = [];
  let root: XmlElement | undefined;
  let attributes = 0;
  const parser = new SaxesParser({ xmlns: true });
  const refuse = (detail: string) => {
    throw malformedBody(detail);
  };
  const addText = (text: string) => {
    const element = open.at(-1);
    if (element) element.text += text;
  };
  parser.on('error', () => refuse(`The body is not XML: line ${parser.line}, column ${parser.column}.`));
  parser.on('doctype', () => refuse('An XML body must not have a document type declaration (DTD).'));
  parser.on('xmldecl', ({ encoding = 'utf-8' }) => {
    if (!/^(utf-?8|us-ascii)$/i.test(encoding)) refuse('The body must be UTF-8.');
  });
  parser.on('attribute', () => {
    attributes += 1;
    if (attributes > limits.attributes) refuse('An element of the XML body has too many attributes.');
  });
  parser.on('opentag', (tag) => {
    if (open.length === limits.depth) refuse('The XML body has too many elements within one another.');
    attributes = 0;
    const element = elementOf(tag);
    root ??= element;
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => open.pop());
  parser.write(utf8Text(body)).close();
  return root ?? refuse('The XML body has no element.');
}

interface OpenElement extends XmlElement {
  readonly children: XmlElement[];
  text: string;
}

function elementOf({ uri, local, attributes }: SaxesTagNS): OpenElement {
  return {
    namespace: uri,
    name: local,
    children: [],
    text: '',
    attribute: (namespace, name) =>
      Object.values(attributes).find((given) => given.uri === namespace && given.local === name)?.value,
  };
}
