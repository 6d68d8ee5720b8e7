import type { BoundedLog } from '@visitor-counter/service/bounded-log';
import type { Receive } from '../ingest/receive.ts';
import type { TakePublish } from '../listener/client-connection.ts';
import { shown } from '../log/shortened.ts';
import type { AccessInstruments } from '../metrics/gateway-instruments.ts';
import { publishJudge } from './rights.ts';
import { RightsViolation } from './rights-violation.ts';
import type { Session } from './session.ts';

export interface PublicationsOptions {
  readonly receive: Receive;
  readonly access: AccessInstruments;
  readonly log: BoundedLog;
}

/** What becomes of a device's messages: within its rights they are received, beyond them its connection ends. */
export function publicationsOf(session: Session, options: PublicationsOptions): TakePublish {
  const { receive, access, log } = options;
  const { serial } = session;
  const judge = publishJudge(serial);
  return (publish, settled) => {
    const verdict = judge(publish);
    if ('refused' in verdict) {
      const { refused } = verdict;
      access.packetRefused(refused);
      log.write('warn', { serial, topic: shown(publish.topic), refused }, 'publication refused');
      return settled(new RightsViolation(refused));
    }
    try {
      /* Not the packet's topic: the same text again in every message that waits. */
      const { channel, topic } = verdict;
      receive(session, { channel, topic, payload: publish.payload }, settled);
    } catch (error) {
      log.write('error', { err: error, serial }, 'message not handled');
      settled(error instanceof Error ? error : new Error(String(error)));
    }
  };
}
