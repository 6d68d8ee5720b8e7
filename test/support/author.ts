import type { Author } from '@visitor-counter/database/audit/record-audit';

/** The author of the changes of a test. */
export const kim: Author = { kind: 'operator', name: 'Kim', credential: null, origin: 'test' };
