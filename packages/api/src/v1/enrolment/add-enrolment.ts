import { BlockList } from 'node:net';
import { hashSecret } from '@visitor-counter/database/credentials/secret';
import { openEnrolmentCodes } from '@visitor-counter/database/enrolment/codes';
import {
  type EnrolmentRequest,
  type EnrolmentResult,
  enrol,
} from '@visitor-counter/database/enrolment/enrol';
import type { Database } from '@visitor-counter/database/sql/connect';
import { parseEnrolmentCode } from '@visitor-counter/domain/enrolment-code';
import { addressKey } from '@visitor-counter/service/address-key';
import { BatchedLookup, type Checked, LoginFailures } from '@visitor-counter/service/login-failures';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { publicUrl } from '../../http/public-url.ts';
import type { Problem } from '../../problems/problems.ts';
import {
  insecureRequest,
  invalidCode,
  invalidParameter,
  otherSerial,
  serialTaken,
  tooManyFailures,
} from '../../problems/problems.ts';
import { readBody } from '../routing/values.ts';
import { enrolmentBody, enrolmentDescription, expectedCode } from './enrolment-description.ts';
import type { UnitSettings } from './unit-settings.ts';

export interface EnrolmentOptions {
  readonly database: Database;
  readonly units: UnitSettings;
  /** Attempts of one address that enrol no unit, in a minute. */
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

/**
 * `POST /v1/enrolment`: enrols units that bring a code, of which only the hash is stored, as of their secret. However
 * many wrong codes come from an address, an open code from there is still accepted.
 */
export function addEnrolment(app: FastifyInstance, options: EnrolmentOptions): void {
  const { database, units, failuresPerMinute, now } = options;
  const limits = {
    ofAddresses: new LoginFailures(failuresPerMinute, now),
    ofCodes: new LoginFailures(failuresPerMinute, now),
    openCodes: new BatchedLookup((hashes: readonly string[]) =>
      openEnrolmentCodes(database.kysely, hashes, new Date(now())),
    ),
  };
  app.post(enrolmentDescription.path, async (request) => {
    requireTls(request);
    const checked = await check(limits, requestOf(request, now()), (requested) =>
      enrol(database.kysely, requested),
    );
    if ('tooMany' in checked) throw tooManyFailures(Math.ceil(60 / failuresPerMinute));
    const { outcome, serial } = checked.verdict;
    const refusal = refusals[outcome];
    if (refusal) throw refusal();
    return { serial, server: units.mqttUrl ?? gatewayAt(request), ca: units.mqttCa ?? null };
  });
}

interface Limits {
  readonly ofAddresses: LoginFailures;
  /** Limits the attempts with one open code that enrol no unit. */
  readonly ofCodes: LoginFailures;
  readonly openCodes: BatchedLookup<string, true>;
}

async function check(
  { ofAddresses, ofCodes, openCodes }: Limits,
  request: EnrolmentRequest,
  tryCode: (request: EnrolmentRequest) => Promise<EnrolmentResult>,
): Promise<Checked<EnrolmentResult>> {
  const hash = request.codeHash.toString('hex');
  const address = addressKey(request.address);
  const unknown = async (): Promise<EnrolmentResult> => ({ outcome: 'unknown', serial: request.serial });
  const alone = () => tryCode(request);
  const tryOpenCode = async () => {
    if (!(await openCodes.find(address, hash))) return await unknown();
    const checked = await ofCodes.check({ address: hash, who: '', isRight, alone, batched: unknown });
    return 'tooMany' in checked ? await unknown() : checked.verdict;
  };
  return await ofAddresses.check({ address, who: hash, isRight, alone, batched: tryOpenCode });
}

function isRight({ outcome }: EnrolmentResult): false | undefined {
  return outcome === 'enrolled' || outcome === 'replaced' ? undefined : false;
}

function requestOf(request: FastifyRequest, now: number): EnrolmentRequest {
  const { code, serial, secretHash } = readBody(enrolmentBody, request.body);
  const parsed = parseEnrolmentCode(code);
  if (parsed === undefined) throw invalidParameter('code', expectedCode);
  return {
    codeHash: hashSecret(parsed.text),
    serial,
    secretHash: Buffer.from(secretHash, 'hex'),
    address: request.ip,
    now: new Date(now),
  };
}

/** The gateway on the host under which the unit has reached this service. */
function gatewayAt({ protocol, host, socket }: FastifyRequest): string {
  return `mqtts://${new URL(publicUrl({ protocol, host, socket })).hostname}:8883`;
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/**
 * Without TLS accepts only callers on this machine, and not those that a proxy forwards. Throws
 * `insecure_request`.
 */
export function requireTls(request: FastifyRequest): void {
  if (request.protocol === 'https') return;
  const address = request.ip.replace(/^::ffff:/, '');
  const forwarded = Object.keys(request.headers).some((name) => /^(forwarded|x-forwarded-.*)$/.test(name));
  if (forwarded || !loopback.check(address, address.includes(':') ? 'ipv6' : 'ipv4')) throw insecureRequest();
}
