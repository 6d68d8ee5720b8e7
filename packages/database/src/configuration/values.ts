import { parseDiskLimit } from '@visitor-counter/domain/disk-room';
import { isMailAddress, mailLanguages } from '@visitor-counter/domain/mail';
import { isPrintable } from '@visitor-counter/domain/name-key';
import { isSerial } from '@visitor-counter/domain/serial';
import { isLocalTime, parseInstant, parseUtcDate } from '@visitor-counter/domain/time';
import { isTimeZone } from '@visitor-counter/domain/time-zone';
import { isVersion } from '@visitor-counter/domain/version';
import { weaknessOf } from '@visitor-counter/domain/weak-secret';
import Type from 'typebox';

/* The values of fields. Their descriptions end the sentence "<field> must be …". */

/** The longest name, address or label, in UTF-16 units. */
const maxText = 200;
const minSecret = 16;
const maxSecret = 256;

function text(description: string, accepts: (value: string) => boolean) {
  return Type.Refine(Type.String({ description }), (value) => isPrintable(value) && accepts(value));
}

function hasLength(value: string, min: number, max = maxText): boolean {
  return value.length >= min && value.length <= max;
}

/** Compared trimmed and without case. */
export const name = text(`a name of 1 to ${maxText} printable characters`, (value) =>
  hasLength(value.trim(), 1),
);

/** Compared exactly. */
export const identifier = text(
  `text of 1 to ${maxText} printable characters without spaces around it`,
  isIdentifier,
);

/** Of a store that exists. */
export const ownSid = text('the sid of a store', isIdentifier);

function isIdentifier(value: string): boolean {
  return hasLength(value, 1) && value === value.trim();
}

export const freeText = text(`text of at most ${maxText} printable characters`, (value) =>
  hasLength(value, 0),
);

export const serial = text(
  'a serial number: 1 to 64 letters, digits, dots, hyphens and underscores',
  isSerial,
);

export const timeZone = text('an IANA time zone, such as Europe/Berlin', isTimeZone);

/** Business days consist of quarter hours, in every time zone. */
export const dayStart = text(
  'a time of day "HH:MM" that is a multiple of 15 minutes, such as "00:00" or "04:30"',
  (value) => isLocalTime(value) && /:(00|15|30|45)$/.test(value),
);

/** ASCII, since clients encode other letters in HTTP headers in different ways, most of them not at all. */
export const secret = text(
  `text of ${minSecret} to ${maxSecret} characters, ASCII only, without spaces around it, hard to guess`,
  (value) =>
    hasLength(value, minSecret, maxSecret) &&
    /^[!-~]([ -~]*[!-~])?$/.test(value) &&
    weaknessOf(value) === undefined,
);

export const since = text(
  'an instant from 1970 on with its offset, such as 2026-11-20T10:15:30+01:00',
  (value) => (parseInstant(value) ?? -1) >= 0,
);

export const expires = text(
  'never, a date, or an instant with its offset, such as 2027-01-31 or 2027-01-31T18:00:00Z',
  (value) => parseExpiry(value) !== undefined,
);

/** When a credential expires (epoch ms; null for never; a date at its first instant in UTC). */
export function parseExpiry(value: string): number | null | undefined {
  if (value === 'never') return null;
  const instant = parseInstant(value) ?? parseUtcDate(value);
  return instant !== undefined && instant >= 0 ? instant : undefined;
}

/** Seconds, minutes, hours, days and weeks (ms). */
const units: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

/** A duration such as `30s`, `15m`, `2h`, `1d` or `4w` (ms). */
export function parseDuration(value: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,6})([smhdw])$/.exec(value) ?? [];
  return count === undefined ? undefined : Number(count) * (units[unit] ?? 0);
}

/** The longest time of a rule (s). */
const longestSeconds = 30 * 86_400;

export const duration = Type.Union(
  [
    Type.Integer({ minimum: 0, maximum: longestSeconds }),
    text(
      'a number and its unit',
      (value) => (parseDuration(value) ?? Number.POSITIVE_INFINITY) <= longestSeconds * 1_000,
    ),
  ],
  { description: 'a time up to 30d, such as 30s, 15m or 2h, or a number of seconds' },
);

export const threshold = Type.Union(
  [
    text(
      'a limit',
      (value) => value === 'default' || parseDiskLimit(value) !== undefined || isVersion(value),
    ),
    Type.Null(),
  ],
  { description: 'a limit such as 500MB, 2GB or 10%, or a version such as 1.4.0, or default' },
);

export const webhookUrl = text('a URL that begins with https:// or http://', (value) => {
  const { protocol, username } = URL.parse(value) ?? {};
  return /^https?:$/.test(protocol ?? '') && username === '' && hasLength(value, 1, 2_000);
});

export const mailAddress = text('an e-mail address', (value) => isMailAddress(value.trim()));

export const language = Type.Enum([...mailLanguages], { description: `one of ${mailLanguages.join(', ')}` });

/** The most recipients of a report. */
const mostRecipients = 20;

export const mailAddresses = Type.Array(mailAddress, {
  description: `a list of 1 to ${mostRecipients} e-mail addresses`,
  minItems: 1,
  maxItems: mostRecipients,
});

export const nameOrNull = Type.Union([name, Type.Null()], { description: 'a name, or null' });

/** As in Standard Webhooks: `whsec_` and 24 to 64 bytes in base64. */
export const webhookSecret = text('whsec_ and 24 to 64 random bytes in base64', (value) => {
  const encoded = value.slice(6);
  const { length } = Buffer.from(encoded, 'base64');
  const hasForm = /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(value) && length >= 24 && length <= 64;
  return hasForm && weaknessOf(encoded) === undefined;
});

export const trueOrFalse = Type.Boolean({ description: 'true or false' });

export const capacity = Type.Union([Type.Integer({ minimum: 1, maximum: 1_000_000 }), Type.Null()], {
  description: 'the number of people who may be in the store, 1 to 1000000, or null for no limit',
});

/** As `retention_months` in the database. */
const mostMonths = 1_200;

export const retentionMonths = Type.Union([Type.Integer({ minimum: 1, maximum: mostMonths }), Type.Null()], {
  description: `for how many months crossings are kept, 1 to ${mostMonths}, or null for ever`,
});

export const sids = Type.Array(identifier, { description: 'a list of the sids of stores', maxItems: 10_000 });

export const sidsOrAll = Type.Union(
  [Type.Array(identifier, { minItems: 1, maxItems: 10_000 }), Type.Null()],
  {
    description: 'a list of the sids of stores, or null for all of them',
  },
);
