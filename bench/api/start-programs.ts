import { fileURLToPath } from 'node:url';
import { type Program, portOf, startProgram } from '../shared/program.ts';
import { companyName, token } from './workload.ts';

/** The api in a separate process. */
export interface Api extends AsyncDisposable {
  readonly pid: number;
  url(operation: string): string;
}

/** The common parameters of the count operations. */
export const credentials = { CompanyName: companyName, Token: token };

/** The benchmark uses one credential without rate limit. */
const limits = { API_REQUESTS_PER_MINUTE: '1000000000' };

export async function startApiProgram(databaseUrl: string): Promise<Api> {
  const env = { DATABASE_URL: databaseUrl, HTTP_PORT: '0', METRICS_PORT: '0', LOG_LEVEL: 'warn', ...limits };
  const program = await startProgram({ args: [file('api-program.ts')], env });
  const service = `http://127.0.0.1:${portOf(program, 'httpPort')}/public/Service.asmx`;
  return {
    pid: program.pid,
    url: (operation) => `${service}/${operation}`,
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}

/** The obvious implementation, and its port. */
export async function startObviousProgram(databaseUrl: string): Promise<Program & { readonly url: string }> {
  const program = await startProgram({
    args: [file('obvious-program.ts')],
    env: { DATABASE_URL: databaseUrl, LOG_LEVEL: 'warn' },
  });
  return { ...program, url: `http://127.0.0.1:${portOf(program, 'httpPort')}/` };
}

function file(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
