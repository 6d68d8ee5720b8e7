#!/bin/sh
# The operator's command line, with the settings of the server.
COUNTER_ENVIRONMENT=${COUNTER_ENVIRONMENT:-/etc/visitor-counter/server.env}
COUNTER_COMMAND=visitor-counter
COUNTER_BACKUPS=/var/lib/visitor-counter/backups
export COUNTER_ENVIRONMENT COUNTER_COMMAND COUNTER_BACKUPS
command=${1-}
arguments=$*
set -- @NODE@ @PROGRAM@/admin.mjs "$@"
if [ "$(id -u)" = 0 ]; then
  case $command in
    # The doctor sees what the server sees, and backups are in a folder of the server. Other processes of that user can
    # change what this one does: it has no rights of root, and a session of its own, so that it cannot type into the
    # terminal of root.
    doctor | backup)
      export HOME=/var/lib/visitor-counter SUDO_USER="${SUDO_USER:-root}"
      trap 'kill "$!"' INT TERM HUP
      setsid setpriv --reuid=visitor-counter --regid=visitor-counter --init-groups --no-new-privs -- "$@" <&0 &
      wait "$!"
      exit
      ;;
  esac
  # Other commands read and write files of the operator, and may change the tables.
  urls=/etc/visitor-counter/database
  if grep -qsx "DATABASE_URL_FILE=$urls/serve.url" "$COUNTER_ENVIRONMENT" && [ -e "$urls/migrate.url" ]; then
    export DATABASE_MIGRATE_URL_FILE="$urls/migrate.url"
  fi
elif [ ! -r "$COUNTER_ENVIRONMENT" ]; then
  case " $* " in
    *' --help '* | *' -h '* | *' --version '*) unset COUNTER_ENVIRONMENT ;;
    *)
      echo "$COUNTER_ENVIRONMENT cannot be read by this user. Run: sudo visitor-counter $arguments" >&2
      exit 2
      ;;
  esac
fi
exec "$@"
