import type { Author } from '@visitor-counter/database/audit/audit-log';

/** The author of the changes of a test. */
export const kim: Author = { kind: 'operator', name: 'Kim', credential: null, origin: 'test' };
