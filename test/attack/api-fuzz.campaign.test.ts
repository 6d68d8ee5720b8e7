import { join } from 'node:path';
import { openApiDocument } from '@visitor-counter/api/openapi/document';
import { conformity, type Exchange } from '@visitor-counter/api/test/conformity';
import { xmlNames } from '@visitor-counter/api/test/xml-names';
import { given } from '@visitor-counter/test/given';
import { startService } from '@visitor-counter/test/service-process';
import { testDatabase } from '@visitor-counter/test/test-database';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { anyReadRequest } from './api/any-read-request.ts';
import { anyRequest } from './api/any-request.ts';
import { send } from './api/send.ts';
import { fillWorld } from './api/world.ts';

/** Concurrent requests. */
const atATime = 10;
const requests = given('REQUESTS', 800);

test('answers random forms, JSON bodies and envelopes as in the OpenAPI document, without failures', {
  timeout: 900_000 + 10 * requests,
}, async () => {
  const url = await testDatabase();
  await fillWorld(url);
  const api = await startService('api', [], {
    DATABASE_URL: url,
    HTTP_PORT: '0',
    METRICS_PORT: '0',
    LOG_LEVEL: 'error',
    API_REQUESTS_PER_MINUTE: '1000000000',
    API_FAILURES_PER_MINUTE: '1000000000',
    /* Rate limits are a server fault in SOAP, so there are none here. A company gets half of the places. */
    API_EXPORTS: String(2 * atATime),
    /* The page is not part of the document, and exists only after a build. */
    PAGE_DIR: join(import.meta.dirname, 'no-page'),
  });
  onTestFinished(async () => void (await api.stop()));
  const port = Number(api.ready['httpPort']);
  const conform = conformity(openApiDocument({ pathId: 'public', xml: xmlNames }, ''));
  const statuses = new Map<number, number>();
  const judge = (exchange: Exchange) => {
    statuses.set(exchange.status, (statuses.get(exchange.status) ?? 0) + 1);
    conform(exchange);
    if (isFailure(exchange)) throw new Error(`the api failed: ${exchange.text}`);
  };

  const any = fc.oneof({ weight: 3, arbitrary: anyRequest }, { weight: 2, arbitrary: anyReadRequest });
  const property = fc.asyncProperty(
    fc.array(any, { minLength: atATime, maxLength: atATime }),
    async (batch) => {
      for (const exchange of await Promise.all(batch.map((request) => send(port, request)))) judge(exchange);
    },
  );
  await fc.assert(property, { numRuns: Math.ceil(requests / atATime), seed: given('SEED', 1) });

  expect(api.output().match(/^\{.*/gm)).toBeNull();
  expect(statuses.get(200)).toBeGreaterThan(requests / 16);
  expect(statuses.get(400)).toBeGreaterThan(requests / 16);
  expect(statuses.get(500)).toBeGreaterThan(requests / 40);
});

/** A status from 500 on, unless it is a SOAP fault of the caller. */
function isFailure({ status, text }: Exchange): boolean {
  return status >= 500 && !/<faultcode>soap:(?!Server)|<soap:Value>soap:(?!Receiver)/.test(text);
}
