import { request, requestAll, withQuery } from './calls.ts';
import { Audit, type Way } from './shapes.ts';

/* Requests about audits of doors. All throw a RequestError. */

export const auditsOf = (serial: string) => requestAll(withQuery('/v1/audits', { device: serial }), Audit);

/** What a person saw at a door. Instants are RFC 3339. */
interface NewAudit {
  readonly id: string;
  readonly device: string;
  readonly by: string;
  readonly note: string;
  /** Or the text of a CSV file with the same. */
  readonly passages: readonly { readonly at: string; readonly direction: Way }[] | string;
}

/** The same id again changes nothing. */
export const enterAudit = (body: NewAudit) => request('/v1/audits', Audit, { method: 'POST', body });
