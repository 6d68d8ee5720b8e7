import type { ReadReplica } from '@visitor-counter/database/embedded/find-database';
import { startProjector } from '@visitor-counter/database/projection/projector';
import type { CertificateFiles } from '@visitor-counter/service/certificates';
import { createLogger } from '@visitor-counter/service/logger';
import type { RoleContext } from '@visitor-counter/service/roles';
import { runRole } from '@visitor-counter/test/run-role';
import { seed } from '@visitor-counter/test/seed';
import { testDatabase } from '@visitor-counter/test/test-database';
import { onTestFinished } from 'vitest';
import { type ApiLimits, readLimits } from '../src/config.ts';
import type { XmlNames } from '../src/formats/xml.ts';
import { type ApiOptions, startApi } from '../src/start-api.ts';
import type { UnitSettings } from '../src/v1/enrolment.ts';
import { checkedFetch, conformityWith } from './checked-fetch.ts';
import type { Conform } from './conformity.ts';
import { xmlNames } from './xml-names.ts';

export type ApiUnderTest = Awaited<ReturnType<typeof apiUnderTest>>;

/** By default a test may fail and send requests as often as it likes, and a busy machine may take long for a statement. */
const unlimited = { failuresPerMinute: 1_000_000, requestsPerMinute: 1_000_000, statement: 100_000 };

export type Fields = Readonly<Record<string, string>>;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly bytes: Buffer;
  /** The parsed body, where it is JSON. */
  readonly body: unknown;
}

/** What a test may set; everything else is as by default. */
export interface TestOptions extends ApiOptions {
  readonly xml?: XmlNames;
  readonly trustedProxies?: readonly string[];
  readonly plainSignIn?: boolean;
  readonly tls?: CertificateFiles;
  readonly units?: Partial<UnitSettings>;
  readonly limits?: Partial<ApiLimits>;
  readonly pageFolder?: string;
  readonly replica?: ReadReplica;
}

/** A whole api on a real port and a database of its own, for the test that runs. */
export async function apiUnderTest(options: TestOptions & { databaseUrl?: string } = {}) {
  const databaseUrl = options.databaseUrl ?? (await testDatabase());
  let logged = '';
  const lines = {
    write: (line: string) => {
      logged += line;
    },
  };
  const config = {
    host: '127.0.0.1',
    port: 0,
    tls: options.tls,
    pathId: 'public',
    trustedProxies: options.trustedProxies ?? [],
    plainSignIn: options.plainSignIn ?? false,
    xml: options.xml ?? xmlNames,
    limits: { ...readLimits({}), ...unlimited, ...options.limits },
    replica: options.replica,
    pageFolder: options.pageFolder ?? '/nonexistent',
    units: { mqttUrl: undefined, mqttCa: undefined, ...options.units },
  };
  const log = createLogger('api', { LOG_LEVEL: 'debug' }, lines);
  const start = (context: RoleContext) => startApi(config, context, { maxWait: 100_000, ...options });
  const api = await runRole('api', start, databaseUrl, log);
  onTestFinished(() => api.close());
  const projector = startProjector({
    url: databaseUrl,
    applicationName: 'test projector',
    onProblem: () => {},
  });
  onTestFinished(() => projector.close());
  const conform = options.xml && conformityWith(options.xml);
  const port = Number(api.ready['httpPort']);
  const base = `http://127.0.0.1:${port}`;
  const url = (operation: string) => `${base}/public/Service.asmx/${operation}`;
  return {
    port,
    metricsPort: Number(api.ready['metricsPort']),
    databaseUrl,
    seed: seed(databaseUrl),
    /** Everything it logged so far. */
    logged: () => logged,
    url,
    /** Requests a path with a credential, by default that of `oneStore` for counts. */
    get: (path: string, credential = 'acme-counts-token') =>
      answerTo(`${base}${path}`, { headers: { authorization: `Bearer ${credential}` } }, conform),
    /** Calls an operation with a form. */
    post: (operation: string, fields: Fields, headers: Fields = {}) =>
      answerTo(url(operation), { method: 'POST', body: new URLSearchParams(fields), headers }, conform),
  };
}

/** Sends a request, reads the whole answer, and compares it with the OpenAPI document. */
export async function answerTo(url: string, request: RequestInit, conform?: Conform): Promise<Answer> {
  const answer = await checkedFetch(url, request, conform);
  const bytes = Buffer.from(await answer.arrayBuffer());
  const text = new TextDecoder().decode(bytes);
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    bytes,
    body: /json/.test(answer.headers.get('content-type') ?? '') ? JSON.parse(text) : undefined,
  };
}
