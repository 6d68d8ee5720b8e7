import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { everything, manyCrossings, rows, untilHeldBack } from '../../test/many-crossings.ts';
import { envelope, soapHeaders } from '../../test/soap.ts';
import { soap12 } from './soap/soap-version.ts';

const serve = manyCrossings();

/** Requests everything by SOAP and reads no more of the answer than its head. */
async function open(port: number): Promise<IncomingMessage> {
  const operation = 'GetCountsByCompanyAndDatePublic';
  const call = request(`http://127.0.0.1:${port}/public/Service.asmx`, {
    method: 'POST',
    agent: false,
    headers: soapHeaders(soap12, `http://tempuri.org/${operation}`),
  });
  call.on('error', () => {});
  call.end(envelope(soap12, operation, everything));
  const [answer] = await once(call, 'response');
  return answer;
}

test('a SOAP answer is read no faster than its caller reads it, and is complete', async () => {
  const api = await serve();
  const before = process.memoryUsage();
  const answer = await open(api.port);
  await untilHeldBack(api);
  const growth = process.memoryUsage().external - before.external;

  const message = await text(answer);

  expect(growth).toBeLessThan(12 * 1024 * 1024);
  expect(message.split('<CountEvent>')).toHaveLength(rows + 1);
  expect(message).toMatch(/<\/soap:Body><\/soap:Envelope>$/);
});

test('a SOAP answer that fails after its first byte aborts the connection, without a fault', async () => {
  const api = await serve();
  const answer = await open(api.port);
  await untilHeldBack(api);
  await api.seed.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = 'visitor-counter api' and datname = current_database()`,
  );

  await expect(text(answer)).rejects.toThrow(/aborted|ECONNRESET/);
});
