import { ConfigurationError } from '@visitor-counter/service/configuration-error';
import { type Environment, host, oneOf, port, text } from '@visitor-counter/service/environment';
import type { Address } from '@visitor-counter/service/listen';
import type { MailConfig } from '../delivery/mailer.ts';

export interface AlertsConfig {
  /** Undefined where no mail is sent. */
  readonly mail: MailConfig | undefined;
  readonly metrics: Address;
  /** True when the port is the default one: another will do when it is taken. */
  readonly anyMetricsPort: boolean;
}

/** The one after the api's, for those who run all on one machine. */
const defaultMetricsPort = 9467;

/** Reads the settings; throws a ConfigurationError on garbage. The password in SMTP_URL is in none of them. */
export function readConfig(env: Environment): AlertsConfig {
  const metricsPort = port(env, 'METRICS_PORT');
  return {
    mail: readMail(env),
    metrics: {
      host: host(env, 'METRICS_HOST', '127.0.0.1'),
      port: metricsPort ?? defaultMetricsPort,
      setting: 'METRICS_PORT',
    },
    anyMetricsPort: metricsPort === undefined,
  };
}

function readMail(env: Environment): MailConfig | undefined {
  const smtpUrl = text(env, 'SMTP_URL');
  const from = text(env, 'MAIL_FROM');
  const allowsPlaintext = oneOf(env, 'SMTP_ALLOW_PLAINTEXT', ['true', 'false'], 'false') === 'true';
  if (smtpUrl === undefined && from === undefined) return undefined;
  const url = URL.parse(smtpUrl ?? '');
  if (smtpUrl === undefined || !/^smtps?:$/.test(url?.protocol ?? '') || !url?.hostname) {
    const shown = smtpUrl === undefined ? undefined : '…';
    const expected = 'a URL such as smtp://user:password@mail.example:587, together with MAIL_FROM';
    throw new ConfigurationError('SMTP_URL', shown, expected);
  }
  if (from === undefined || !/^[^@\r\n]+@[^@\s]+$/.test(from)) {
    throw new ConfigurationError(
      'MAIL_FROM',
      from,
      'the address that mail is sent from, together with SMTP_URL',
    );
  }
  return { smtpUrl, from, requireTls: !allowsPlaintext && needsTls(url) };
}

/** Parameters of the URL that decide about TLS, as they must be where it is required. */
const withTls = { requireTLS: 'true', ignoreTLS: 'false', opportunisticTLS: 'false' } as const;

/** Throws for a URL that would send a password without TLS. */
function needsTls({ protocol, username, password, searchParams }: URL): boolean {
  if (protocol !== 'smtp:' || (username === '' && password === '')) return false;
  const contradiction = Object.entries(withTls).find(
    ([name, value]) => (searchParams.get(name) ?? value) !== value,
  );
  if (contradiction) {
    const expected = `no ${contradiction[0]} in a URL with a password, or SMTP_ALLOW_PLAINTEXT=true`;
    throw new ConfigurationError('SMTP_URL', '…', expected);
  }
  return true;
}
