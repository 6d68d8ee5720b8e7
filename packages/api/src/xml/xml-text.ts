import { escapeUTF8 } from 'entities';

/**
 * Text as it stands in an XML element or attribute. Characters that XML 1.0 cannot have, not even escaped,
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
