import { escapeUTF8 } from 'entities';

/** Text that is markup already: XML, or HTML that XML rules escape. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Content = string | number | Markup | readonly Markup[] | undefined;

/**
 * A template of markup, as in markup`<b>${name}</b>`. Strings are escaped, for elements and for quoted
 * attributes alike; markup is inserted unchanged, arrays one after another; undefined is nothing.
 */
export function markup(strings: TemplateStringsArray, ...contents: readonly Content[]): Markup {
  return new Markup(String.raw({ raw: strings }, ...contents.map(textOf)));
}

function textOf(content: Content): string {
  if (content === undefined) return '';
  if (content instanceof Markup) return content.text;
  return typeof content === 'object' ? content.map(textOf).join('') : xmlText(String(content));
}

/**
 * Text escaped for an XML element or attribute. Characters that XML 1.0 cannot have, not even escaped,
 * become U+FFFD: control characters, halves of surrogate pairs, U+FFFE and U+FFFF. A carriage return is
 * written as a reference, since parsers read a bare one as a line feed.
 */
export function xmlText(text: string): string {
  if (!special.test(text)) return text;
  return escapeUTF8(text.replace(notXml, '\uFFFD')).replaceAll('\r', '&#xD;');
}

/** All but `Char` of XML 1.0, section 2.2. */
const notXml = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;
const special = new RegExp(`[&<>"'\\r]|${notXml.source}`, 'u');
