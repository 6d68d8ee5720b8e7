import { ClientError } from './client-error.ts';

/** Of one client. */
export type KeepAlive = ReturnType<typeof startKeepAlive>;

/**
 * Detects a silent client: one that neither begins nor ends a packet. The time restarts while nothing is read from it.
 * `seconds` is the keep-alive of its CONNECT; 0 disables it.
 */
export function startKeepAlive(
  seconds: number,
  isReading: () => boolean,
  onTimeout: (error: ClientError) => void,
) {
  const timeout = seconds * 1_500;
  let lastSeenAt = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const check = () => {
    if (!isReading()) lastSeenAt = performance.now();
    const left = lastSeenAt + timeout - performance.now();
    if (left > 0) timer = setTimeout(check, Math.ceil(left));
    else onTimeout(new ClientError('keep-alive-timeout', 'keep alive timeout'));
  };
  if (seconds > 0) timer = setTimeout(check, timeout);
  return {
    /** Called for every read, so it does not reset the timer. */
    seen: () => {
      lastSeenAt = performance.now();
    },
    close: () => clearTimeout(timer),
  };
}
