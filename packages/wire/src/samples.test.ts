import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { decodeCrossings } from './crossings-message.ts';
import { decodeDiagnosis } from './diagnosis-message.ts';
import { decodeCommand, decodeConfig } from './gateway-messages.ts';
import { decodeHeartbeat } from './heartbeat-message.ts';

/**
 * These files pin the wire format: they are messages of version 1. If a sample must be moved between valid and invalid,
 * or a decoder must change for a sample, the topics need a new version.
 */
const now = Date.UTC(2026, 10, 20);

const decoders = {
  crossings: (payload: Buffer) => decodeCrossings(payload, now),
  heartbeat: (payload: Buffer) => decodeHeartbeat(payload),
  config: (payload: Buffer) => decodeConfig(payload),
  commands: (payload: Buffer) => decodeCommand(payload),
  diagnosis: (payload: Buffer) => decodeDiagnosis(payload),
};

describe.each(Object.entries(decoders))('%s', (kind, decode) => {
  test.each(samples('valid', kind))('decodes valid/%s', (_, payload) => {
    expect(decode(payload)).toEqual(decoded(kind, JSON.parse(payload.toString())));
  });

  test('refuses each invalid sample with its reason', () => {
    const refused = samples('invalid', kind).map(([name, payload]) => {
      const { malformed, ...rest } = Object(decode(payload));
      expect(rest).toEqual({});
      return [name, malformed];
    });
    expect(Object.fromEntries(refused)).toMatchSnapshot();
  });
});

/** What a decoder makes of the JSON of a message: each crossing gets its sequence, and an uncertainty of 0 is none. */
function decoded(kind: string, message: ReturnType<typeof JSON.parse>): unknown {
  if (kind === 'heartbeat') return { heartbeat: message };
  if (kind !== 'crossings') return message;
  const valid = message.crossings.map(([at, direction, uncertainty]: number[], index: number) => ({
    sequence: message.first + index,
    at,
    direction,
    ...(uncertainty && { uncertainty }),
  }));
  return { journal: message.journal, valid, rejected: [] };
}

function samples(validity: string, kind: string): [string, Buffer][] {
  const folder = new URL(`../samples/${validity}/${kind}/`, import.meta.url);
  return readdirSync(folder).map((name) => [name, readFileSync(new URL(name, folder))]);
}
