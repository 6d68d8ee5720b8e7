import type { Database } from '@visitor-counter/database/connect';
import { type EnrolmentResult, enrol } from '@visitor-counter/database/enrolment/enrol';
import { hashSecret } from '@visitor-counter/database/secret';
import { parseEnrolmentCode } from '@visitor-counter/domain/enrolment-code';
import { addressKey } from '@visitor-counter/service/address-key';
import { LoginFailures } from '@visitor-counter/service/login-failures';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { publicUrl } from '../http/public-url.ts';
import { tooManyFailures } from '../limit-problems.ts';
import type { Problem } from '../problem.ts';
import { invalidParameter } from '../problems.ts';
import { readBody } from '../v1/values.ts';
import { enrolmentBody, enrolmentDescription, expectedCode } from './enrolment-description.ts';
import { invalidCode, otherSerial, serialTaken } from './enrolment-problems.ts';
import { requireTls } from './require-tls.ts';
import type { UnitSettings } from './unit-settings.ts';

export interface EnrolmentOptions {
  readonly database: Database;
  readonly units: UnitSettings;
  /** Attempts of one address that enrol nobody, in a minute. */
  readonly failuresPerMinute: number;
  /** Epoch ms. */
  readonly now: () => number;
}

const refusals: Readonly<Record<EnrolmentResult['outcome'], (() => Problem) | undefined>> = {
  enrolled: undefined,
  replaced: undefined,
  repeated: undefined,
  unknown: invalidCode,
  revoked: invalidCode,
  expired: invalidCode,
  'used-up': invalidCode,
  'serial-taken': serialTaken,
  'other-serial': otherSerial,
};

/** `POST /v1/enrolment`: lets units in that bring a code, whose hash alone is known here, as that of their secret. */
export function addEnrolment(app: FastifyInstance, options: EnrolmentOptions): void {
  const { units, failuresPerMinute, now } = options;
  const failures = new LoginFailures(failuresPerMinute, now);
  app.post(enrolmentDescription.path, async (request) => {
    requireTls(request);
    const attempt = await failures.attempt(addressKey(request.ip), '');
    if (attempt === undefined) throw tooManyFailures(Math.ceil(60 / failuresPerMinute));
    const { outcome, serial } = await tryCode(options, request).catch((error: unknown) => {
      attempt.undecided();
      throw error;
    });
    if (outcome === 'enrolled' || outcome === 'replaced') attempt.undecided();
    else attempt.failed();
    const refusal = refusals[outcome];
    if (refusal) throw refusal();
    return { serial, server: units.mqttUrl ?? gatewayAt(request), ca: units.mqttCa ?? null };
  });
}

async function tryCode(
  { database, now }: EnrolmentOptions,
  request: FastifyRequest,
): Promise<EnrolmentResult> {
  const { code, serial, secretHash } = readBody(enrolmentBody, request.body);
  const parsed = parseEnrolmentCode(code);
  if (parsed === undefined) throw invalidParameter('code', expectedCode);
  return await enrol(database.kysely, {
    codeHash: hashSecret(parsed.text),
    serial,
    secretHash: Buffer.from(secretHash, 'hex'),
    address: request.ip,
    now: new Date(now()),
  });
}

/** The gateway on the host under which the unit has reached this service. */
function gatewayAt({ protocol, host, socket }: FastifyRequest): string {
  return `mqtts://${new URL(publicUrl({ protocol, host, socket })).hostname}:8883`;
}
