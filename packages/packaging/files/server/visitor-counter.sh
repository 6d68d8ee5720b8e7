#!/bin/sh
# The operator's command line, with the settings of the server and as its user.
COUNTER_ENVIRONMENT=${COUNTER_ENVIRONMENT:-/etc/visitor-counter/server.env}
COUNTER_COMMAND=visitor-counter
COUNTER_BACKUPS=/var/lib/visitor-counter/backups
export COUNTER_ENVIRONMENT COUNTER_COMMAND COUNTER_BACKUPS
set -- @PROGRAM@/node @PROGRAM@/admin.mjs "$@"
if [ "$(id -u)" = 0 ]; then
  # Commands read and write any file, as root would, and may change the tables. The doctor sees what the server sees.
  rights='-all,+dac_override'
  urls=/etc/visitor-counter/database
  if [ "$3" = doctor ]; then
    rights='-all'
  elif grep -qsx "DATABASE_URL_FILE=$urls/serve.url" "$COUNTER_ENVIRONMENT" && [ -e "$urls/migrate.url" ]; then
    export DATABASE_MIGRATE_URL_FILE="$urls/migrate.url"
  fi
  # The audit log names who ran the command.
  export SUDO_USER="${SUDO_USER:-root}"
  export HOME=/var/lib/visitor-counter
  exec setpriv --reuid=visitor-counter --regid=visitor-counter --init-groups --inh-caps="$rights" \
    --ambient-caps="$rights" --bounding-set="$rights" -- "$@"
fi
if [ ! -r "$COUNTER_ENVIRONMENT" ]; then
  case " $* " in
    *' --help '* | *' -h '* | *' --version '*) unset COUNTER_ENVIRONMENT ;;
    *)
      shift 2
      echo "$COUNTER_ENVIRONMENT cannot be read by this user. Run: sudo visitor-counter $*" >&2
      exit 2
      ;;
  esac
fi
exec "$@"
