import { SaxesParser, type SaxesTagNS } from 'saxes';
import { malformedBody } from '../../problems/problems.ts';

/** An element as it was read, its names resolved to namespaces. */
export interface XmlElement {
  /** Empty for none. */
  readonly namespace: string;
  /** The name without prefix. */
  readonly name: string;
  readonly children: readonly XmlElement[];
  /** Its own text, CDATA included, that of its children not. */
  readonly text: string;
  attribute(namespace: string, name: string): string | undefined;
}

/** Elements within one another, and attributes of one element, namespace declarations included. */
const limits = { depth: 32, attributes: 64 };

/**
 * Reads a document, which is all in memory: its size is the caller's to bound. Throws `malformed_body` for
 * what is not UTF-8 or not well-formed, for a document type declaration, so that there are no entities but
 * the five of XML itself, and for a document beyond the limits.
 */
export function readXml(body: Uint8Array): XmlElement {
  const tree = new TreeBuilder();
  const parser = new SaxesParser({ xmlns: true });
  const refuse = (detail: string) => {
    throw malformedBody(detail);
  };
  parser.on('error', () => refuse(`The body is not XML: line ${parser.line}, column ${parser.column}.`));
  parser.on('doctype', () => refuse('An XML body must not have a document type declaration (DTD).'));
  parser.on('xmldecl', ({ encoding = 'utf-8' }) => {
    if (!/^(utf-?8|us-ascii)$/i.test(encoding)) refuse(notUtf8);
  });
  parser.on('attribute', () => {
    tree.attributes += 1;
    if (tree.attributes > limits.attributes) refuse('An element of the XML body has too many attributes.');
  });
  parser.on('opentag', (tag) => {
    if (tree.depth === limits.depth) refuse('The XML body has too many elements within one another.');
    tree.open(tag);
  });
  parser.on('text', (text) => tree.text(text));
  parser.on('cdata', (text) => tree.text(text));
  parser.on('closetag', () => tree.close());
  parser.write(decode(body)).close();
  return tree.root();
}

const notUtf8 = 'An XML body must be UTF-8.';
const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

function decode(body: Uint8Array): string {
  try {
    return strictUtf8.decode(body);
  } catch {
    throw malformedBody(notUtf8);
  }
}

interface OpenElement extends XmlElement {
  readonly children: XmlElement[];
  text: string;
}

/** The tree that the parser's events describe. */
class TreeBuilder {
  /** Of the tag that is being read. */
  attributes = 0;
  readonly #open: OpenElement[] = [];
  #root: XmlElement | undefined;

  get depth(): number {
    return this.#open.length;
  }

  open(tag: SaxesTagNS): void {
    this.attributes = 0;
    const element: OpenElement = {
      namespace: tag.uri,
      name: tag.local,
      children: [],
      text: '',
      attribute: (namespace, name) =>
        Object.values(tag.attributes).find(({ uri, local }) => uri === namespace && local === name)?.value,
    };
    this.#root ??= element;
    this.#open.at(-1)?.children.push(element);
    this.#open.push(element);
  }

  text(text: string): void {
    const element = this.#open.at(-1);
    if (element !== undefined) element.text += text;
  }

  close(): void {
    this.#open.pop();
  }

  root(): XmlElement {
    if (this.#root === undefined) throw malformedBody('The XML body has no element.');
    return this.#root;
  }
}
