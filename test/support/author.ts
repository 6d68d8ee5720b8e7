import type { Author } from '@visitor-counter/database/audit/record-audit';

/** Who makes the changes of a test. */
export const kim: Author = { kind: 'operator', name: 'Kim', credential: null, origin: 'test' };
