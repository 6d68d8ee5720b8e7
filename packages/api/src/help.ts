export const help = `Usage: npx pnpm api

The public HTTP interface: the five operations, /v1 and the page. It is configured by environment variables, logs
JSON lines, and stops on SIGTERM or Ctrl-C.

  DATABASE_URL           postgres://user:password@host:5432/database
                         (default: the embedded database of npx pnpm start, in DATA_DIR, while that runs)
  LOG_LEVEL              fatal, error, warn, info, debug, trace or silent (info)
  HTTP_HOST, HTTP_PORT   the interface, and /health, /ready and /live (127.0.0.1, 8080)
  HTTP_TLS_CERT, HTTP_TLS_KEY  PEM files, to speak HTTPS; read again when they change (HTTP)
  API_PATH_ID            the path segment in front of Service.asmx (public)
  TRUSTED_PROXIES        addresses and networks of proxies whose X-Forwarded headers are trusted (none)
  PAGE_DIR               the folder of the page that is served at / (what npx pnpm build made)
  XML_NAMESPACE          of XML and SOAP (http://tempuri.org/)
  XML_COUNT_EVENT, XML_INACTIVE_DEVICE  the names of their records (CountEvent, InactiveDevice)
  API_EXPORTS, API_EXPORTS_PER_CREDENTIAL  date ranges read at a time (8, 4)
  API_STREAMS, API_STREAMS_PER_COMPANY, API_STREAMS_PER_CREDENTIAL  live streams open at a time (5000, 1000, 500)
  API_REQUESTS_PER_MINUTE  of one credential (6000)
  API_FAILURES_PER_MINUTE  wrong credentials of one address (100)
  PUBLIC_MQTT_URL, PUBLIC_MQTT_CA  what units receive when they enrol: the address of the gateway
                         (mqtts://<host of the request>:8883), and a PEM file of the CA that signs its certificate
                         (the CA of the api)
  API_STATEMENT_SECONDS    how long one statement of the database may take (30)
  METRICS_HOST, METRICS_PORT   /metrics (127.0.0.1, 9466 or the next free port)

Exit codes: 0 stopped by a signal, 1 failed, 2 a setting or an argument cannot be used.
More in docs/operators.md and docs/integrators.md.
`;
