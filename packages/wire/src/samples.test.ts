import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
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

for (const [kind, decode] of Object.entries(decoders)) {
  test.each(samples('valid', kind))(`${kind}: decodes valid/%s`, (_, payload) => {
    expect(decode(payload)).toMatchSnapshot();
    expect(decode(payload)).not.toHaveProperty('malformed');
  });

  test.each(samples('invalid', kind))(`${kind}: refuses invalid/%s with a reason`, (_, payload) => {
    expect(decode(payload)).toMatchSnapshot();
    expect(decode(payload)).toHaveProperty('malformed', expect.stringMatching(/./));
  });
}

function samples(validity: string, kind: string): [string, Buffer][] {
  const folder = new URL(`../samples/${validity}/${kind}/`, import.meta.url);
  return readdirSync(folder).map((name) => [name, readFileSync(new URL(name, folder))]);
}
