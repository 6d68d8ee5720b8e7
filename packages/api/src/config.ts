import { findDatabase } from '@visitor-counter/database/find-database';
import { ConfigurationError } from '@visitor-counter/service/configuration-error';
import { type Environment, host, port, text } from '@visitor-counter/service/environment';

export interface ApiConfig {
  readonly databaseUrl: string;
  readonly host: string;
  /** 0 asks for any free one. */
  readonly port: number;
  /** The path segment in front of `Service.asmx`. */
  readonly pathId: string;
}

/** Reads the environment and finds the database. Throws a ConfigurationError that names what cannot be used. */
export async function readApiConfig(env: Environment): Promise<ApiConfig> {
  const config = {
    host: host(env, 'HTTP_HOST', '127.0.0.1'),
    port: port(env, 'HTTP_PORT') ?? 8080,
    pathId: pathId(text(env, 'API_PATH_ID') ?? 'public'),
  };
  return { ...config, databaseUrl: await findDatabase(env) };
}

/** Unreserved characters of RFC 3986 stand for themselves in a path; `.` and `..` mean other paths. */
function pathId(value: string): string {
  if (/^[A-Za-z0-9._~-]{1,64}$/.test(value) && !/^\.{1,2}$/.test(value) && value !== 'health') return value;
  throw new ConfigurationError(
    'API_PATH_ID',
    value,
    'one path segment of letters, digits, "-", ".", "_", "~", other than "health"',
  );
}
