import fc from 'fast-check';
import type { Given } from './parameters.ts';

/** A form in the encoding of browsers. */
export function formOf(given: Given): string {
  return new URLSearchParams(given.map(([name, value]): [string, string] => [name, value])).toString();
}

/** JSON with the names in order, also repeated ones; values as text or as JSON types. */
export function jsonOf(given: Given, strange: unknown): string {
  const members = given.map(([name, value], index) => {
    const asJson = index % 3 === 0 ? own(value) : value;
    return `${JSON.stringify(name)}:${JSON.stringify(index === 4 ? strange : asJson)}`;
  });
  return `{${members.join(',')}}`;
}

function own(value: string): unknown {
  if (value === 'true' || value === 'false') return value === 'true';
  return /^\d{1,3}(\.\d{1,3})?$/.test(value) ? Number(value) : value;
}

export type EnvelopeStyle = 'plain' | 'prefixed' | 'header' | 'must-understand' | 'dtd' | 'nil' | 'bare';

export const envelopeStyles: readonly EnvelopeStyle[] = [
  ...(['plain', 'prefixed', 'header', 'must-understand', 'dtd', 'nil', 'bare'] as const),
];

/** A SOAP message that calls an operation, in one of the ways in which messages are written. */
export function envelopeOf(operation: string, given: Given, namespace: string, style: EnvelopeStyle): string {
  const prefix = style === 'prefixed' ? 't:' : '';
  const declared = style === 'prefixed' ? 'xmlns:t' : 'xmlns';
  const nil = style === 'nil' ? ' i:nil="true"' : '';
  const elements = given.map(([name, value], index) => {
    const tag = prefix + (/^[A-Za-z_]+$/.test(name) ? name : 'x');
    return `<${tag}${index === 2 ? nil : ''}>${escaped(value)}</${tag}>`;
  });
  const call = `<${prefix}${operation} ${declared}="http://tempuri.org/">${elements.join('')}</${prefix}${operation}>`;
  if (style === 'bare') return call;
  const dtd = style === 'dtd' ? '<!DOCTYPE x [<!ENTITY a "b">]>' : '';
  const must = style === 'must-understand' ? ' s:mustUnderstand="1"' : '';
  const header = style === 'header' || must ? `<s:Header><h xmlns="urn:h"${must}>1</h></s:Header>` : '';
  const schema = 'xmlns:i="http://www.w3.org/2001/XMLSchema-instance"';
  return `${dtd}<s:Envelope xmlns:s="${namespace}" ${schema}>${header}<s:Body>${call}</s:Body></s:Envelope>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('\0', '&#0;');
}

/** Bytes unchanged, or with some removed, doubled or replaced. */
export function mutated(bytes: Buffer): fc.Arbitrary<Buffer> {
  const length = Math.max(bytes.length, 1);
  const splice = fc
    .tuple(fc.nat(length), fc.nat(8), fc.uint8Array({ maxLength: 8 }))
    .map(([at, gone, instead]) => Buffer.concat([bytes.subarray(0, at), instead, bytes.subarray(at + gone)]));
  const doubled = fc.nat(length).map((at) => Buffer.concat([bytes, bytes.subarray(at)]));
  return fc.oneof(
    { weight: 60, arbitrary: fc.constant(bytes) },
    { weight: 6, arbitrary: splice },
    { weight: 3, arbitrary: doubled },
    { weight: 1, arbitrary: fc.constant(Buffer.concat([bytes, Buffer.alloc(70_000, 'x')])) },
    { weight: 3, arbitrary: fc.uint8Array({ maxLength: 200 }).map((noise) => Buffer.from(noise)) },
  );
}
