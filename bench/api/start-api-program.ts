import { fileURLToPath } from 'node:url';
import { portOf, startProcess } from '@visitor-counter/test/service-process';
import { companyName, countsToken } from '../shared/company.ts';

/** The api in a separate process. */
export interface Api extends AsyncDisposable {
  readonly pid: number | undefined;
  url(operation: string): string;
}

/** The common parameters of the count operations. */
export const credentials = { CompanyName: companyName, Token: countsToken };

/** The benchmark uses one credential without rate limit. */
const limits = { API_REQUESTS_PER_MINUTE: '1000000000' };

export async function startApiProgram(databaseUrl: string): Promise<Api> {
  const program = await startProcess('api', [fileURLToPath(new URL('api-program.ts', import.meta.url))], {
    DATABASE_URL: databaseUrl,
    HTTP_PORT: '0',
    METRICS_PORT: '0',
    LOG_LEVEL: 'warn',
    ...limits,
  });
  const service = `http://127.0.0.1:${portOf(program, 'httpPort')}/public/Service.asmx`;
  return {
    pid: program.child.pid,
    url: (operation) => `${service}/${operation}`,
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}
