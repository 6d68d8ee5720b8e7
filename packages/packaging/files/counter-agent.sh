#!/bin/sh
# A small unit's memory matters more than its speed: no compiled code, a small young generation.
COUNTER_CONFIG=${COUNTER_CONFIG:-/etc/visitor-counter/unit.yaml}
export COUNTER_CONFIG
exec /usr/lib/counter-agent/node --max-semi-space-size=1 --lite-mode \
  /usr/lib/counter-agent/agent.mjs "$@"
