import { readXml, type XmlElement } from '../src/asmx/soap/read-xml.ts';

/** An XML document as JSON has what it means: a list of the root's children, or the root's fields. All text. */
interface XmlInstance {
  readonly root: string;
  readonly namespace: string;
  readonly list: readonly unknown[];
  readonly fields: unknown;
}

/** Throws for what is not well-formed. */
export function xmlInstance(document: string): XmlInstance {
  const root = readXml(Buffer.from(document));
  return {
    root: root.name,
    namespace: root.namespace,
    list: root.children.map(jsonOf),
    fields: jsonOf(root),
  };
}

function jsonOf({ children, text }: XmlElement): unknown {
  if (children.length === 0) return text;
  if (children.every(({ name }) => name === 'i')) return children.map(jsonOf);
  return Object.fromEntries(children.map((child) => [child.name, jsonOf(child)]));
}
