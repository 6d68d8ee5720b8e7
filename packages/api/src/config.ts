import { resolve } from 'node:path';
import { type ReadReplica, readReplica } from '@visitor-counter/database/embedded/find-database';
import { type CertificateFiles, certificateFiles } from '@visitor-counter/service/certificates';
import type { Environment } from '@visitor-counter/service/settings/environment';
import { folder, host, pemFile, port, textLike } from '@visitor-counter/service/settings/kinds';
import { readSettings, type Settings, type SettingsGroup } from '@visitor-counter/service/settings/setting';
import { type ApiLimits, limitSettings, readLimits } from './access/read-limits.ts';
import { readXmlNames, type XmlNames, xmlSettings } from './formats/xml.ts';
import { trustedProxies } from './http/public-url.ts';
import { enrolmentSettings, readUnitSettings, type UnitSettings } from './v1/unit-settings.ts';

export interface ApiConfig {
  readonly host: string;
  /** 0 is any free one. */
  readonly port: number;
  /** HTTP over TLS with these; HTTP without them. */
  readonly tls: CertificateFiles | undefined;
  /** The path segment in front of `Service.asmx`. */
  readonly pathId: string;
  /** Proxies whose `X-Forwarded-…` headers are trusted. */
  readonly trustedProxies: readonly string[];
  readonly xml: XmlNames;
  readonly limits: ApiLimits;
  /** Where exports and reports are read from, if not from the database. */
  readonly replica: ReadReplica | undefined;
  /** The folder of the built page. */
  readonly pageFolder: string;
  readonly units: UnitSettings;
}

/** Where `npx pnpm build` writes it. */
const builtPage = resolve(import.meta.dirname, '../../dashboard/dist');

export const httpSettings = {
  HTTP_HOST: {
    kind: host,
    default: '127.0.0.1',
    does: 'The address of the public interface, the page and their health checks.',
  },
  HTTP_PORT: { kind: port, default: '8080', does: 'The port of the public interface and the page.' },
  HTTP_TLS_CERT: {
    kind: pemFile,
    does: 'The certificate and those between it and its root, for HTTPS instead of HTTP. The files are read again when they change. See [TLS](operators.md#tls).',
  },
  HTTP_TLS_KEY: { kind: pemFile, does: 'The key of that certificate.' },
  API_PATH_ID: {
    /* Unreserved characters of RFC 3986 mean themselves in a path; `.` and `..` mean other paths. */
    kind: textLike(
      'one path segment of letters, digits, "-", ".", "_", "~", other than "health", "ready", "live", "v1", "assets"',
      (text) => /^[A-Za-z0-9._~-]{1,64}$/.test(text) && !/^(\.{1,2}|health|ready|live|v1|assets)$/.test(text),
    ),
    default: 'public',
    does: 'The path segment in front of `Service.asmx`.',
  },
  TRUSTED_PROXIES: {
    kind: trustedProxies,
    does: 'Proxies in front of the api whose `X-Forwarded-For`, `-Proto` and `-Host` are trusted.',
  },
  PAGE_DIR: {
    kind: folder,
    otherwise: 'the result of `npx pnpm build`',
    does: 'The folder of the page that is served at `/`.',
  },
} satisfies Settings;

export const apiSettings: readonly SettingsGroup[] = [
  { title: 'Api', settings: { ...httpSettings, ...enrolmentSettings, ...xmlSettings } },
  { title: 'Api: limits', settings: limitSettings },
];

/** Reads the settings. Throws a ConfigurationError that names what cannot be used. */
export async function readApiConfig(env: Environment): Promise<ApiConfig> {
  const settings = readSettings(httpSettings, env);
  return {
    host: settings.HTTP_HOST,
    port: settings.HTTP_PORT,
    tls: certificateFiles('HTTP_TLS', settings.HTTP_TLS_CERT, settings.HTTP_TLS_KEY),
    pathId: settings.API_PATH_ID,
    trustedProxies: settings.TRUSTED_PROXIES ?? [],
    xml: readXmlNames(env),
    limits: readLimits(env),
    replica: readReplica(env),
    pageFolder: resolve(settings.PAGE_DIR ?? builtPage),
    units: await readUnitSettings(env),
  };
}
