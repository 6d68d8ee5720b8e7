export const help = `Usage: npx pnpm alerts

Tells companies what is wrong with their counters and how full their stores are, by webhook and by mail. It is
configured by its environment, logs JSON lines, and stops on SIGTERM or Ctrl-C. Any number of them may run.

  DATABASE_URL           postgres://user:password@host:5432/database
                         (the embedded one while npx pnpm start runs, found in DATA_DIR)
  LOG_LEVEL              fatal, error, warn, info, debug, trace or silent (info)
  SMTP_URL               smtp://user:password@mail.example:587, where mail is handed in (no mail is sent)
  MAIL_FROM              the address that mail is sent from, together with SMTP_URL
  SMTP_ALLOW_PLAINTEXT   true: the password in SMTP_URL may be sent without TLS (false)
  METRICS_HOST, METRICS_PORT   /metrics, /health, /ready and /live (127.0.0.1, 9467 or the next free port)

Exit codes: 0 stopped when asked, 1 failed, 2 a setting or an argument cannot be used.
docs/operators.md tells more.
`;
