/** On every answer: it depends on what was asked for, and it is the caller's alone. */
export const answerHeaders = { vary: 'Accept, Accept-Encoding', 'cache-control': 'no-store' } as const;
