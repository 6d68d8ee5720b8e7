export const help = `Usage: npx pnpm gateway

The MQTT broker of the counter units, or with MQTT_URL a consumer of an existing broker; the only writer of
crossings. It is configured by environment variables, logs JSON lines, and stops on SIGTERM or Ctrl-C.

  DATABASE_URL           postgres://user:password@host:5432/database
                         (default: the embedded database of npx pnpm start, in DATA_DIR, while that runs)
  LOG_LEVEL              fatal, error, warn, info, debug, trace or silent (info)
  HEALTH_HOST, HEALTH_PORT     /health, /ready and /live (127.0.0.1, 9464 or the next free port)
  METRICS_HOST, METRICS_PORT   /metrics (127.0.0.1, 9465 or the next free port)

Units:
  MQTT_HOST, MQTT_PORT   without encryption, on loopback addresses only (127.0.0.1, 1883)
  MQTTS_PORT             with TLS, on MQTT_HOST (8883)
  MQTT_TLS_CERT, MQTT_TLS_KEY  PEM files of the server's certificate; read again when they change
  MQTT_TLS_CLIENT_CA     PEM file of the CA that signs the certificates of units
  MQTT_TLS_CLIENT_CERT   optional or required (optional)
  MQTT_ALLOW_PLAINTEXT   true: also without encryption, on all addresses; loopback: on 127.0.0.1, in addition to TLS (false)

Limits:
  MQTT_MAX_CONNECTIONS               in all (20000)
  MQTT_MAX_CONNECTIONS_PER_ADDRESS   (as many as in all)
  MQTT_MAX_PENDING_PER_ADDRESS       not logged in yet (5000)
  MQTT_LOGIN_SECONDS                 from the connection to the answer to the login (10)
  MQTT_LOGIN_FAILURES_PER_MINUTE     of one address (100)
  MQTT_MESSAGES_PER_SECOND           of one device (2000)
  MQTT_BYTES_PER_SECOND              of one device (2097152)
  INGEST_MAX_AGE_DAYS                how old a crossing may be when it arrives (400)
  INGEST_CROSSINGS_PER_DAY           of one device, with instants on one day of UTC (100000)
  INGEST_CROSSINGS_PER_30_DAYS       of one device, newly stored in 30 days (2000000)
  INGEST_JOURNALS_PER_DAY            new ones of one device in 24 hours (100)
  INGEST_JOURNALS                    of one device (1000)

An existing broker instead:
  MQTT_URL                           mqtt://host:1883 or mqtts://host:8883
  MQTT_USERNAME, MQTT_PASSWORD       account of this gateway at the broker
  MQTT_URL_CA                        PEM file of the CA that signs the broker's certificate
  MQTT_URL_CERT, MQTT_URL_KEY        PEM files of this gateway's own certificate, if the broker requires one
  MQTT_SHARE_GROUP                   the same for all gateways of one database (visitor-counter)
  MQTT_CLIENT_ID                     different for each gateway (visitor-counter-<host name>)
  MQTT_CONNECTIONS                   consuming connections, each for one message at a time (32)
  MQTT_SESSION_EXPIRY                how long the broker keeps the queues of a gateway that is not connected, in s (60)

Exit codes: 0 stopped by a signal, 1 failed, 2 a setting or an argument cannot be used.
More in docs/operators.md and docs/external-broker.md.
`;
