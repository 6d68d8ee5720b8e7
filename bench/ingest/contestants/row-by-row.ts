import mqtt from 'mqtt';
import pg from 'pg';

/**
 * A typical hand-written program: a subscriber of a broker that inserts row by row. The broker acknowledges before
 * anything is stored. Arguments: database URL, port and password of the broker.
 */
const [databaseUrl = '', port = '', password = ''] = process.argv.slice(2);
const client = new pg.Client({ connectionString: databaseUrl });
await client.connect();
const login = { clientId: 'row-by-row', username: 'gateway', password };
const subscriber = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, login);
subscriber.handleMessage = (packet, done) => {
  if (packet.cmd !== 'publish') return done();
  store(packet.topic, packet.payload.toString()).then(() => done(), done);
};
await subscriber.subscribeAsync('counter/v1/+/crossings', { qos: 1 });
process.send?.({ ready: {} });
process.once('disconnect', () => process.exit());

async function store(topic: string, payload: string): Promise<void> {
  const { journal, first, crossings } = JSON.parse(payload);
  for (const [index, [at, direction]] of crossings.entries()) {
    await client.query({
      name: 'row',
      text: 'insert into row_by_row values ($1, $2, $3, to_timestamp($4 / 1000.0), $5) on conflict do nothing',
      values: [topic.split('/')[2], journal, first + index, at, direction],
    });
  }
}
