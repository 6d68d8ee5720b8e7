/** A listener of the live stream of a company, from now until it is closed. */
export interface Listener {
  /** What went wrong with it: an answer other than 200, an end that was not asked for, numbers that are not fresh. */
  readonly problems: readonly string[];
  close(): Promise<void>;
}

export function startListener(apiUrl: string, token: string): Listener {
  const stopping = new AbortController();
  const problems: string[] = [];
  const listen = async () => {
    const answer = await fetch(`${apiUrl}/v1/live`, {
      ...{ headers: { authorization: `Bearer ${token}` }, signal: stopping.signal },
    });
    if (answer.status !== 200 || answer.body === null) {
      problems.push(`/v1/live: ${answer.status} ${await answer.text()}`);
      return;
    }
    const decoder = new TextDecoder();
    for await (const chunk of answer.body) {
      if (decoder.decode(chunk, { stream: true }).includes('"fresh":false'))
        problems.push('/v1/live: not fresh');
    }
    problems.push('/v1/live: the stream has ended');
  };
  const listening = listen().catch((error: unknown) => {
    if (!stopping.signal.aborted) problems.push(`/v1/live: ${String(error)}`);
  });
  return {
    problems,
    close: async () => {
      stopping.abort();
      await listening;
    },
  };
}
