import {
  givenKey,
  readSecretsKey,
  type SecretsKey,
  secretsSettings,
} from '@visitor-counter/database/secrets/secrets-key';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { Environment } from '@visitor-counter/service/settings/environment';
import { oneOf, textLike, url } from '@visitor-counter/service/settings/kinds';
import { readSettings, type Settings, type SettingsGroup } from '@visitor-counter/service/settings/setting';
import type { MailConfig } from './delivery/mailer.ts';

export interface AlertsConfig {
  /** Undefined where no mail is sent. */
  readonly mail: MailConfig | undefined;
  /** Reads the key of the webhooks; undefined if there is none. */
  readonly secretsKey: () => Promise<SecretsKey | undefined>;
}

const mailSettings = {
  SMTP_URL: {
    kind: url(
      'smtp://user:password@mail.example:587, together with MAIL_FROM',
      ['smtp:', 'smtps:'],
      ({ hostname }) => hostname !== '',
    ),
    isSecret: true,
    otherwise: 'no mail is sent',
    does: 'The mail server.',
  },
  MAIL_FROM: {
    kind: textLike('the address that mail is sent from, together with SMTP_URL', (text) =>
      /^[^@\r\n]+@[^@\s]+$/.test(text),
    ),
    does: 'The sender of mail, together with `SMTP_URL`.',
  },
  SMTP_ALLOW_PLAINTEXT: {
    kind: oneOf('false', 'true'),
    default: 'false',
    does: '`true`: the password in `SMTP_URL` may be sent without TLS. See [alerts](operators/alerts.md).',
  },
} satisfies Settings;

export const alertsSettings: readonly SettingsGroup[] = [
  { title: 'Alerts', settings: { ...mailSettings, ...secretsSettings } },
];

/** Reads the settings; throws a ConfigurationError for a value that cannot be used, without any secret in it. */
export function readConfig(env: Environment): AlertsConfig {
  givenKey(env);
  return { mail: readMailConfig(env), secretsKey: () => readSecretsKey(env) };
}

function readMailConfig(env: Environment): MailConfig | undefined {
  const {
    SMTP_URL: smtpUrl,
    MAIL_FROM: from,
    SMTP_ALLOW_PLAINTEXT: plaintext,
  } = readSettings(mailSettings, env);
  if (smtpUrl === undefined && from === undefined) return undefined;
  if (smtpUrl === undefined) throw missing('SMTP_URL');
  if (from === undefined) throw missing('MAIL_FROM');
  return { smtpUrl, from, requireTls: plaintext === 'false' && needsTls(new URL(smtpUrl)) };
}

function missing(name: keyof typeof mailSettings): ConfigurationError {
  return new ConfigurationError(name, undefined, mailSettings[name].kind.expected);
}

/** Whether a password would be sent to a port that is not TLS from its first byte. */
function needsTls({ protocol, username, password }: URL): boolean {
  return protocol === 'smtp:' && (username !== '' || password !== '');
}
