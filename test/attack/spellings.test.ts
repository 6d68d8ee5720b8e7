import { connectUnit, type UnitClient } from '@visitor-counter/test/unit-client';
import { type Channel, gatewayChannels, topic, unitChannels } from '@visitor-counter/wire/topics';
import { expect, test } from 'vitest';
import { generatedTopology } from './generated-topology.ts';

const crossing = '{"journal":"j","first":1,"crossings":[[1700000000000,1]]}';

/** Spellings of a topic that a careless comparison, or the broker's matching, could treat as equal. */
function spellings(serial: string, channel: Channel): string[] {
  const name = topic(serial, channel);
  const as = (other: string) => `counter/v1/${other}/${channel}`;
  return [
    `${name}/`,
    `/${name}`,
    `//${name}`,
    name.replaceAll('/', '//'),
    `${name}/more`,
    ` ${name}`,
    `${name} `,
    `${name}\u0000`,
    as(`${serial}\u0000`),
    `${name}\n`,
    `\ufeff${name}`,
    `${name}\u200b`,
    `${name}?`,
    `$share/group/${name}`,
    `$SYS/${name}`,
    `$queue/${name}`,
    `${name}%00`,
    name.toUpperCase(),
    as(fullWidth(serial)),
    as(`${serial}\u0301`),
    as(`x/../${serial}`),
    as(`${serial}/.`),
    as(''),
    as('+'),
    as('#'),
    `${name}/#`,
    `counter/v1/${serial}/+`,
    '#',
    '+/#',
    '',
    'constructor',
    '__proto__',
  ];
}

/** The same letters and digits as fullwidth forms, which NFKC would convert. */
function fullWidth(text: string): string {
  return text.replace(/[!-~]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0));
}

test('rejects every other spelling of a topic, of another device or the same one, published or subscribed', async () => {
  const { serials, rows, port } = await generatedTopology();
  const got: string[] = [];
  let tried = 0;

  /* The second device belongs to another company, the third one to the same. */
  const [attacker = ''] = serials;
  for (const owner of serials.slice(0, 3)) {
    for (const name of spellings(owner, 'crossings')) {
      const end = await afterPublish(await connectUnit({ port, serial: attacker }), name);
      if (end !== 'closed') got.push(`${attacker} on ${JSON.stringify(name)}: ${end}`);
      tried += 1;
    }
    for (const filter of spellings(owner, 'time')) {
      const unit = await connectUnit({ port, serial: attacker });
      const end = await afterSubscribe(unit, filter);
      if (end === 'granted') got.push(`${attacker} to ${JSON.stringify(filter)}: ${end}`);
      unit.client.end(true);
      tried += 1;
    }
  }

  expect(got).toEqual([]);
  expect(tried).toBeGreaterThan(180);
  expect(await rows.query('select from crossing union all select from rejected_message')).toEqual([]);
});

test('still accepts the permitted topics of a device', async () => {
  const { serials, port } = await generatedTopology();
  const [serial = ''] = serials;
  const unit = await connectUnit({ port, serial });

  expect(await afterPublish(unit, topic(serial, unitChannels[0]))).toBe('acknowledged');
  expect(await afterSubscribe(unit, topic(serial, gatewayChannels[0]))).toBe('granted');
});

/** Publishes with QoS 1 without the client's own checks of topics. */
function afterPublish({ client, closed }: UnitClient, name: string): Promise<string> {
  const acknowledged = new Promise<string>((resolve) =>
    client.on('packetreceive', ({ cmd }) => cmd === 'puback' && resolve('acknowledged')),
  );
  client.stream.write(packet(0x32, text(name), Buffer.from([0, 1]), Buffer.from(crossing)));
  return Promise.race([acknowledged, closed.then(() => 'closed')]);
}

function afterSubscribe({ client, closed }: UnitClient, filter: string): Promise<string> {
  const answered = new Promise<string>((resolve) =>
    client.once('packetreceive', (answer) => {
      if (answer.cmd === 'suback') resolve(Number(answer.granted[0]) < 3 ? 'granted' : 'refused');
    }),
  );
  client.stream.write(packet(0x82, Buffer.from([0, 1]), text(filter), Buffer.from([0])));
  return Promise.race([answered, closed.then(() => 'closed')]);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes]);
}

/** A packet of at most 16 KiB: its length takes two bytes. */
function packet(header: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([header, (body.length & 0x7f) | 0x80, body.length >> 7]), body]);
}
