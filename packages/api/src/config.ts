import { resolve } from 'node:path';
import { findDatabase } from '@visitor-counter/database/embedded/find-database';
import { ConfigurationError } from '@visitor-counter/service/configuration-error';
import { type Environment, host, port, text } from '@visitor-counter/service/environment';
import type { Address } from '@visitor-counter/service/listen';
import { type CertificateFiles, readCertificateFiles } from '@visitor-counter/service/tls/certificate-files';
import { type ApiLimits, readLimits } from './access/read-limits.ts';
import { readXmlNames, type XmlNames } from './formats/xml-names.ts';
import { readTrustedProxies } from './http/trusted-proxies.ts';
import { readUnitSettings, type UnitSettings } from './v1/enrolment/unit-settings.ts';

export interface ApiConfig {
  readonly databaseUrl: string;
  readonly host: string;
  /** 0 asks for any free one. */
  readonly port: number;
  /** HTTP over TLS by these; HTTP without them. */
  readonly tls: CertificateFiles | undefined;
  /** The path segment in front of `Service.asmx`. */
  readonly pathId: string;
  /** Whose `X-Forwarded-…` headers are believed. */
  readonly trustedProxies: readonly string[];
  readonly metrics: Address;
  /** True when the port of the metrics is the default one: another will do when it is taken. */
  readonly anyMetricsPort: boolean;
  readonly xml: XmlNames;
  readonly limits: ApiLimits;
  /** The folder of the built page. */
  readonly pageFolder: string;
  readonly units: UnitSettings;
}

/** Where `npx pnpm build` leaves it. */
const builtPage = resolve(import.meta.dirname, '../../dashboard/dist');

/** The one after the gateway's, for those who run both on one machine. */
const defaultMetricsPort = 9466;

/** Reads the environment and finds the database. Throws a ConfigurationError that names what cannot be used. */
export async function readApiConfig(env: Environment): Promise<ApiConfig> {
  const metricsPort = port(env, 'METRICS_PORT');
  const config = {
    host: host(env, 'HTTP_HOST', '127.0.0.1'),
    port: port(env, 'HTTP_PORT') ?? 8080,
    tls: readCertificateFiles(env, 'HTTP_TLS'),
    pathId: pathId(text(env, 'API_PATH_ID') ?? 'public'),
    trustedProxies: readTrustedProxies(env),
    metrics: {
      host: host(env, 'METRICS_HOST', '127.0.0.1'),
      port: metricsPort ?? defaultMetricsPort,
      setting: 'METRICS_PORT',
    },
    anyMetricsPort: metricsPort === undefined,
    xml: readXmlNames(env),
    limits: readLimits(env),
    pageFolder: resolve(text(env, 'PAGE_DIR') ?? builtPage),
    units: await readUnitSettings(env),
  };
  return { ...config, databaseUrl: await findDatabase(env) };
}

/** Unreserved characters of RFC 3986 stand for themselves in a path; `.` and `..` mean other paths. */
function pathId(value: string): string {
  if (/^[A-Za-z0-9._~-]{1,64}$/.test(value) && !/^(\.{1,2}|health|ready|live|v1|assets)$/.test(value))
    return value;
  throw new ConfigurationError(
    'API_PATH_ID',
    value,
    'one path segment of letters, digits, "-", ".", "_", "~", other than "health", "ready", "live", "v1", "assets"',
  );
}
