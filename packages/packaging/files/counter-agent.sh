#!/bin/sh
COUNTER_CONFIG=${COUNTER_CONFIG:-/etc/visitor-counter/unit.yaml}
# Journals with a relative path, or without one, are in this folder.
COUNTER_STATE=${COUNTER_STATE:-/var/lib/counter-agent}
# The results of counter-update.service.
COUNTER_UPDATES=/var/lib/counter-update
COUNTER_SERVICE=counter-agent.service
export COUNTER_CONFIG COUNTER_STATE COUNTER_UPDATES COUNTER_SERVICE
exec @NODE@ @PROGRAM@/agent.mjs "$@"
