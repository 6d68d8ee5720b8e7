export const help = `Usage: npx pnpm alerts

Sends alerts to companies, by webhook and by mail: problems of their counters, and full stores. It is configured by
environment variables, logs JSON lines, and stops on SIGTERM or Ctrl-C. Any number of them may run.

  DATABASE_URL           postgres://user:password@host:5432/database
                         (default: the embedded database of npx pnpm start, in DATA_DIR, while that runs)
  LOG_LEVEL              fatal, error, warn, info, debug, trace or silent (info)
  SMTP_URL               the mail server, smtp://user:password@mail.example:587 (without it, no mail is sent)
  MAIL_FROM              the address that mail is sent from, together with SMTP_URL
  SMTP_ALLOW_PLAINTEXT   true: the password in SMTP_URL may be sent without TLS (false)
  METRICS_HOST, METRICS_PORT   /metrics, /health, /ready and /live (127.0.0.1, 9467 or the next free port)

Exit codes: 0 stopped by a signal, 1 failed, 2 a setting or an argument cannot be used.
More in docs/operators.md.
`;
