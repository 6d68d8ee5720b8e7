import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { journalIdPattern } from './crossings-message.ts';
import { type Decoded, decodeJson } from './json-payload.ts';

/**
 * The payload of `counter/v1/<serial>/committed`: every sequence of the journal up to `through` is stored,
 * kept as rejected, or given up by the unit itself. It never has to be sent again.
 */
const CommittedMessage = Type.Object({
  journal: Type.String({ pattern: journalIdPattern }),
  through: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
});

type Committed = Static<typeof CommittedMessage>;

const committed = Compile(CommittedMessage);

export function encodeCommitted({ journal, through }: Committed): string {
  return JSON.stringify({ journal, through });
}

export function decodeCommitted(payload: Uint8Array): Decoded<Committed> {
  return decodeJson(committed, payload);
}
