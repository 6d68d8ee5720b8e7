import { join } from 'node:path';
import { openApiDocument } from '@visitor-counter/api/openapi/document';
import { conformity, type Exchange } from '@visitor-counter/api/test/conformity';
import { xmlNames } from '@visitor-counter/api/test/xml-names';
import { startService } from '@visitor-counter/test/service-process';
import fc from 'fast-check';
import { anyReadRequest } from './any-read-request.ts';
import { anyRequest } from './any-request.ts';
import { type Sender, sender } from './send.ts';
import { fillWorld } from './world.ts';

export interface ApiFuzzResult {
  readonly sent: number;
  /** How many answers had which status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** The smallest request with a wrong answer; at most one, since the run ends there. */
  readonly faults: readonly string[];
  /** The errors that the api logged. */
  readonly errors: readonly string[];
}

export interface ApiFuzzOptions {
  /** A database without companies. */
  readonly databaseUrl: string;
  readonly requests: number;
  readonly seed: number;
  readonly onProgress?: (sent: number) => void;
}

/** Concurrent requests. */
const atATime = 10;

/**
 * Sends random forms, JSON bodies, envelopes and requests of the read interface to a separate api. Every answer must match the
 * OpenAPI document, and none may be a failure of the service.
 */
export async function runApiFuzz(options: ApiFuzzOptions): Promise<ApiFuzzResult> {
  await fillWorld(options.databaseUrl);
  const api = await startService('api', [], {
    DATABASE_URL: options.databaseUrl,
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
  const client = sender(Number(api.ready['httpPort']));
  try {
    const result = await fuzz(client, options);
    const errors = api
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'));
    return { ...result, errors };
  } finally {
    client.close();
    await api.stop();
  }
}

async function fuzz(client: Sender, { requests, seed, onProgress = () => {} }: ApiFuzzOptions) {
  const conform = conformity(openApiDocument({ pathId: 'public', xml: xmlNames }, ''));
  const statuses: Record<string, number> = {};
  let sent = 0;
  const judge = (exchange: Exchange) => {
    statuses[exchange.status] = (statuses[exchange.status] ?? 0) + 1;
    conform(exchange);
    if (isFailure(exchange)) throw new Error(`the api failed: ${exchange.text}`);
  };
  const any = fc.oneof({ weight: 3, arbitrary: anyRequest }, { weight: 2, arbitrary: anyReadRequest });
  const together = fc.array(any, { minLength: atATime, maxLength: atATime });
  const property = fc.asyncProperty(together, async (batch) => {
    for (const exchange of await Promise.all(batch.map(client.send))) judge(exchange);
    sent += batch.length;
    onProgress(sent);
  });
  const details = await fc.check(property, {
    numRuns: Math.ceil(requests / atATime),
    seed,
    includeErrorInReport: true,
  });
  const report = fc.defaultReportMessage(details);
  return { sent, statuses, faults: report === undefined ? [] : [report] };
}

/** A status from 500 on, unless it is a SOAP fault of the caller. */
function isFailure({ status, text }: Exchange): boolean {
  return status >= 500 && !/<faultcode>soap:(?!Server)|<soap:Value>soap:(?!Receiver)/.test(text);
}
