#!/bin/sh
COUNTER_CONFIG=${COUNTER_CONFIG:-/etc/visitor-counter/unit.yaml}
# Journals whose path is relative, or not said, are here.
COUNTER_STATE=${COUNTER_STATE:-/var/lib/counter-agent}
COUNTER_SERVICE=counter-agent.service
export COUNTER_CONFIG COUNTER_STATE COUNTER_SERVICE
exec /usr/lib/counter-agent/node @LEAN_NODE@ \
  /usr/lib/counter-agent/agent.mjs "$@"
