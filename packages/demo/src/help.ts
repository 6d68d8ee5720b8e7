export const help = `Usage: npx pnpm start

Runs the whole product in this terminal: PostgreSQL, the gateway, the public interface, and counter units
with simulated beams that deliver a real recording. Ctrl-C stops everything; the next start continues.

Environment variables:
  DATABASE_URL          a PostgreSQL of your own instead of the embedded one
  MQTT_HOST, MQTT_PORT  where units connect (127.0.0.1, 1883 or the next free port)
  HTTP_HOST, HTTP_PORT  the public interface (127.0.0.1, 8080 or the next free port)
  MQTT_TLS_CERT, MQTT_TLS_KEY, MQTTS_PORT
                        TLS for units of your own (8883 or the next free port); the simulated units connect
                        to 127.0.0.1 without TLS
  HTTP_TLS_CERT, HTTP_TLS_KEY  HTTPS instead of HTTP
  API_PATH_ID           the path segment in front of Service.asmx (public)
  DATA_DIR              the folder with all data of the demonstration (.data)
  LOG_LEVEL             of the log files in that folder (info)

Exit codes: 0 stopped by a signal, 1 failed, 2 a setting or an argument cannot be used.
`;
