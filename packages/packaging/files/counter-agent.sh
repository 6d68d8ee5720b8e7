#!/bin/sh
COUNTER_CONFIG=${COUNTER_CONFIG:-/etc/visitor-counter/unit.yaml}
export COUNTER_CONFIG
exec /usr/lib/counter-agent/node @LEAN_NODE@ \
  /usr/lib/counter-agent/agent.mjs "$@"
