/** On every answer: it depends on what was asked for, and it is the caller's alone. */
export const answerHeaders = { vary: 'Accept, Accept-Encoding', 'cache-control': 'no-store' } as const;

/** On every answer over TLS (RFC 6797): for a year browsers use nothing else for this host. */
export const overTls = { 'strict-transport-security': 'max-age=31536000' } as const;
