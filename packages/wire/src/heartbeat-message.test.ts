import { expect, test } from 'vitest';
import { decodeHeartbeat } from './heartbeat-message.ts';
import { maxUnknownFields } from './limits.ts';

const decode = (text: string) => decodeHeartbeat(Buffer.from(text));

test('preserves unknown fields, and removes those of a heartbeat that has too many', () => {
  const known = { at: 1, version: '1.2.0', beams: [{ name: 'outer', state: 'clear', since: 0, breaks: 0 }] };
  const few = { ...known, later: 'x'.repeat(maxUnknownFields - 100) };
  expect(decode(JSON.stringify(few))).toEqual({ heartbeat: few });
  const [beam] = known.beams;
  const many = { ...known, beams: [{ ...beam, later: 'x'.repeat(maxUnknownFields) }], later: [1] };
  expect(decode(JSON.stringify(many))).toEqual({ heartbeat: known });
});

test('refuses deep nesting', () => {
  const deep = (levels: number) => `{"at":1,"later":${'['.repeat(levels)}${']'.repeat(levels)}}`;
  expect(decode(deep(15))).toHaveProperty('heartbeat');
  expect(decode(deep(16))).toEqual({ malformed: 'nested deeper than 16 levels' });
  expect(decode(deep(30_000))).toEqual({ malformed: 'nested deeper than 16 levels' });
});
