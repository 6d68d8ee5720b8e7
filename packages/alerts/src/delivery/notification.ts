import type { AlertKind } from '@visitor-counter/database/alerts/alert-kinds';
import type { Delivery } from '@visitor-counter/database/alerts/deliveries';
import { alertText } from './alert-text.ts';

/** The message to a target; a webhook receives it as JSON. Instants are RFC 3339 in UTC. */
export interface Notification {
  /** The same for the beginning and the end of one incident, and for every attempt. */
  readonly id: string;
  readonly event: 'alert.raised' | 'alert.cleared';
  readonly kind: AlertKind;
  readonly company: string;
  /** When the condition had lasted as long as the rule says. */
  readonly beganAt: string;
  readonly raisedAt: string;
  readonly clearedAt?: string;
  /** The names of the store and the door (`device`), sid, serial, beam, capacity and other fields, depending on the kind. */
  readonly about: Readonly<Record<string, unknown>>;
  /** What is wrong or well again, for people, in the language of the target. */
  readonly text: string;
}

export function notificationOf(delivery: Delivery): Notification {
  const { alertId, phase, kind, companyName, beganAt, raisedAt, clearedAt } = delivery;
  return {
    id: alertId,
    event: `alert.${phase}`,
    kind,
    company: companyName,
    beganAt: beganAt.toISOString(),
    raisedAt: raisedAt.toISOString(),
    ...(phase === 'cleared' && clearedAt !== null && { clearedAt: clearedAt.toISOString() }),
    about: { ...Object(delivery.about) },
    text: alertText(delivery).text,
  };
}

/** Identifies one message to a target, so that the target can recognise a repeated one. */
export function messageIdOf({ alertId, phase }: Delivery): string {
  return `${alertId}.${phase}`;
}
