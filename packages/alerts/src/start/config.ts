import { ConfigurationError } from '@visitor-counter/service/configuration-error';
import { type Environment, host, port, text } from '@visitor-counter/service/environment';
import type { Address } from '@visitor-counter/service/listen';

export interface MailConfig {
  /** `smtp://user:password@host:587`, or `smtps://`. */
  readonly smtpUrl: string;
  readonly from: string;
}

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
  if (smtpUrl === undefined && from === undefined) return undefined;
  const { protocol, hostname } = URL.parse(smtpUrl ?? '') ?? {};
  if (smtpUrl === undefined || !/^smtps?:$/.test(protocol ?? '') || !hostname) {
    const shown = smtpUrl === undefined ? undefined : '…';
    const expected = 'a URL such as smtp://user:password@mail.example:587, beside MAIL_FROM';
    throw new ConfigurationError('SMTP_URL', shown, expected);
  }
  if (from === undefined || !/^[^@\r\n]+@[^@\s]+$/.test(from)) {
    throw new ConfigurationError('MAIL_FROM', from, 'the address that mail is sent from, beside SMTP_URL');
  }
  return { smtpUrl, from };
}
