import { once } from 'node:events';

/** Without a beat for so long contact is lost, as the documentation says (ms). */
const silence = 15_000;

/** A listener of the live stream of a company, from now until it is closed. */
export interface Listener {
  /** Its problems: an answer other than 200, an unexpected end, numbers that are not fresh. */
  readonly problems: readonly string[];
  /** Resolves with the next beat, or after the time limit, which is a problem. */
  beat(): Promise<void>;
  close(): Promise<void>;
}

export function startListener(apiUrl: string, token: string): Listener {
  const stopping = new AbortController();
  const problems: string[] = [];
  const beats = new EventTarget();
  const listen = async () => {
    const answer = await fetch(`${apiUrl}/v1/live`, {
      headers: { authorization: `Bearer ${token}` },
      signal: stopping.signal,
    });
    if (answer.status !== 200 || answer.body === null) {
      problems.push(`/v1/live: ${answer.status} ${await answer.text()}`);
      return;
    }
    const decoder = new TextDecoder();
    for await (const chunk of answer.body) {
      const text = decoder.decode(chunk, { stream: true });
      if (text.includes('"fresh":false')) problems.push('/v1/live: not fresh');
      if (text.includes('"fresh":')) beats.dispatchEvent(new Event('beat'));
    }
    problems.push('/v1/live: the stream has ended');
  };
  const listening = listen().catch((error: unknown) => {
    if (!stopping.signal.aborted) problems.push(`/v1/live: ${String(error)}`);
  });
  return {
    problems,
    beat: async () => {
      const signal = AbortSignal.timeout(silence);
      await once(beats, 'beat', { signal }).catch(() => problems.push(`/v1/live: no beat for ${silence} ms`));
    },
    close: async () => {
      stopping.abort();
      await listening;
    },
  };
}
