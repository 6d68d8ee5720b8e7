import { serialPattern } from '@visitor-counter/domain/serial';
import Type from 'typebox';
import { nothing, type RouteDescription } from '../routing/route.ts';

/** Ends the sentence "code must be …". */
export const expectedCode = 'a code of six groups of five characters';

export const enrolmentBody = Type.Object({
  code: Type.String({ description: expectedCode, maxLength: 100 }),
  serial: Type.String({
    description: 'a serial number of letters, digits, ".", "_", "-"',
    pattern: serialPattern,
  }),
  secretHash: Type.String({
    description: 'the SHA-256 of the secret that the unit has made, 64 hexadecimal digits',
    pattern: '^[0-9a-f]{64}$',
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

export const enrolmentDescription = {
  method: 'POST',
  path: '/v1/enrolment',
  summary: 'Enrol a counter unit with a code; repeating the request changes nothing',
  kinds: [],
  query: nothing,
  body: enrolmentBody,
  status: 200,
  answer: enrolledShape,
} satisfies RouteDescription;
