import { utcText } from '@visitor-counter/domain/instant';
import Type from 'typebox';
import type { Caller } from '../../access/callers.ts';
import { instant, orNull } from '../routing/shapes.ts';

export const callerShape = Type.Object(
  {
    company: Type.String({ description: 'Name of the company.' }),
    kind: Type.Enum(['counts', 'life-signal', 'staff']),
    label: Type.String({ description: 'Label of the credential.' }),
    expiresAt: orNull(instant('When the credential ends.')),
    stores: orNull(Type.Array(Type.String(), { description: 'The store ids that it is limited to.' })),
    session: orNull(Type.Object({ expiresAt: instant('When the session ends.') })),
  },
  { $id: 'Caller' },
);

/** A caller as they are told; `sids` of the stores that the credential is limited to. */
export function shownCaller(caller: Caller, sids: readonly string[] | null) {
  const { company, kind, label, expiresAt, proof } = caller;
  return {
    ...{ company, kind, label },
    expiresAt: expiresAt === null ? null : utcText(expiresAt),
    stores: sids,
    session: proof.by === 'session' ? { expiresAt: utcText(proof.expiresAt) } : null,
  };
}
