import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { decodeCommand } from './command-message.ts';
import { decodeCommitted } from './committed-message.ts';
import { decodeConfig } from './config-message.ts';
import { decodeCrossings } from './crossings-message.ts';
import { decodeDiagnosis } from './diagnosis-message.ts';
import { decodeHeartbeat } from './heartbeat-message.ts';

/**
 * The wire is pinned: these files are messages of version 1. A sample that has to change its place, or a
 * decoder that has to change for one, is a new version of the topics.
 */
const now = Date.UTC(2026, 10, 20);

const decoders = {
  crossings: (payload: Buffer) => decodeCrossings(payload, now),
  heartbeat: (payload: Buffer) => decodeHeartbeat(payload),
  committed: (payload: Buffer) => decodeCommitted(payload),
  config: (payload: Buffer) => decodeConfig(payload),
  commands: (payload: Buffer) => decodeCommand(payload),
  diagnosis: (payload: Buffer) => decodeDiagnosis(payload),
};

for (const [kind, decode] of Object.entries(decoders)) {
  test.each(samples('valid', kind))(`${kind}: reads valid/%s`, (_, payload) => {
    expect(decode(payload)).toMatchSnapshot();
    expect(decode(payload)).not.toHaveProperty('malformed');
  });

  test.each(samples('invalid', kind))(`${kind}: refuses invalid/%s and says why`, (_, payload) => {
    expect(decode(payload)).toMatchSnapshot();
    expect(decode(payload)).toHaveProperty('malformed', expect.stringMatching(/./));
  });
}

function samples(validity: string, kind: string): [string, Buffer][] {
  const folder = new URL(`../samples/${validity}/${kind}/`, import.meta.url);
  return readdirSync(folder).map((name) => [name, readFileSync(new URL(name, folder))]);
}
