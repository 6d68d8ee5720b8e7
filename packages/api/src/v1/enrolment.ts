import { hashSecret } from '@visitor-counter/database/credentials/credentials';
import {
  type EnrolmentRequest,
  type EnrolmentResult,
  enrol,
} from '@visitor-counter/database/enrolment/enrol';
import { parseEnrolmentCode } from '@visitor-counter/domain/enrolment-code';
import { serialPattern } from '@visitor-counter/domain/serial';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { isLocal, publicUrl } from '../http/public-url.ts';
import type { ProblemCode } from '../problems/problem-table.ts';
import { invalidParameter, Problem, secret, tooMany } from '../problems/problems.ts';
import type { HandledRoute } from './routing/route.ts';
import { fieldsIn, readBody } from './routing/values.ts';

/** What units receive when they enrol. */
export interface UnitSettings {
  /** Where the gateway is; at the host of the request when left out. */
  readonly mqttUrl: string | undefined;
  /** The certificates that sign the gateway's, PEM; those by which the unit verifies the api when left out. */
  readonly mqttCa: string | undefined;
}

/** Ends the sentence "code must be …". */
const expectedCode = 'a code of six groups of five characters';

const enrolmentBody = Type.Object({
  code: Type.String({ description: expectedCode, maxLength: 100, writeOnly: true }),
  serial: Type.String({
    description: 'a serial number of letters, digits, ".", "_", "-"',
    pattern: serialPattern,
  }),
  secretHash: Type.String({
    description: 'the SHA-256 of the secret that the unit has made, 64 hexadecimal digits',
    pattern: '^[0-9a-f]{64}$',
    writeOnly: true,
  }),
});

const enrolledShape = Type.Object(
  {
    serial: Type.String({ description: 'Serial number, as the device is registered.' }),
    server: Type.String({ description: 'Where it delivers: `mqtts://host:port`.' }),
    ca: Type.Union([
      Type.String({ description: 'Certificates that sign those of `server`, PEM.' }),
      Type.Null({ description: 'Those by which the unit identifies this server.' }),
    ]),
  },
  { $id: 'Enrolled' },
);

const refusals: Readonly<Record<EnrolmentResult['outcome'], ProblemCode | undefined>> = {
  enrolled: undefined,
  replaced: undefined,
  repeated: undefined,
  unknown: 'invalid_code',
  revoked: 'invalid_code',
  expired: 'invalid_code',
  'used-up': 'invalid_code',
  'serial-taken': 'serial_taken',
  'other-serial': 'other_serial',
};

/** Enrols a unit that sends a code. Only hashes of codes and of the units' secrets are stored. */
export const enrolmentRoute: HandledRoute = {
  method: 'POST',
  path: '/v1/enrolment',
  summary: 'Enrol a counter unit with a code; repeating the request changes nothing',
  kinds: [],
  body: enrolmentBody,
  answer: enrolledShape,
  handle: async ({ database, units, enrolmentFailures: failures, now }, request, reply) => {
    if (request.protocol !== 'https' && !isLocal(request)) throw new Problem('insecure_request');
    const enrolment = requestOf(request, now());
    if (failures.isExhausted(enrolment.address)) throw tooMany('failures', failures.retryAfter);
    const { outcome, serial } = await enrol(database.kysely, enrolment);
    const refusal = refusals[outcome];
    if (refusal) {
      failures.count(enrolment.address);
      throw new Problem(refusal);
    }
    const { mqttUrl, mqttCa } = units;
    return reply.send({ serial, server: mqttUrl ?? gatewayAt(request), ca: mqttCa ?? null });
  },
};

function requestOf(request: FastifyRequest, now: number): EnrolmentRequest {
  /* A unit of a later version may send more. */
  const { code: sent, serial: given, secretHash: hash } = fieldsIn(request.body);
  const fields = { code: sent, serial: given, secretHash: hash };
  const { code, serial, secretHash } = readBody(enrolmentBody, fields);
  const parsed = parseEnrolmentCode(code);
  if (parsed === undefined) throw invalidParameter('code', secret, expectedCode);
  return {
    codeHash: hashSecret(parsed.text),
    serial,
    secretHash: Buffer.from(secretHash, 'hex'),
    address: request.ip,
    now,
  };
}

/** The gateway on the host under which the unit has reached this service. */
function gatewayAt(request: FastifyRequest): string {
  return `mqtts://${new URL(publicUrl(request)).hostname}:8883`;
}
