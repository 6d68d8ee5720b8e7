#!/bin/sh
# Adds an account of RabbitMQ, with its rights, as root on one of the nodes:
#   ./add-account.sh gateway gateway < PASSWORD_FILE
#   ./add-account.sh unit CU-0001 < SECRET_FILE
set -eu
kind=$1 name=$2
queues='mqtt-subscription-.*'
case $kind in
  gateway)
    writes='[^.]+\.(committed|time|config|commands)'
    reads='\*\.(crossings|heartbeat|status|diagnosis)'
    ;;
  unit)
    writes='{username}\.(crossings|heartbeat|status|diagnosis)'
    reads='{username}\.(committed|time|config|commands)'
    queues="mqtt-subscription-${name}qos[01]"
    ;;
  *)
    echo "the kind is \"$kind\"; expected gateway or unit" >&2
    exit 2
    ;;
esac
rabbitmqctl --quiet add_user "$name"
rabbitmqctl --quiet set_permissions "$name" "^$queues\$" "^($queues|amq\\.topic)\$" "^($queues|amq\\.topic)\$"
rabbitmqctl --quiet set_topic_permissions "$name" amq.topic "^counter\\.v1\\.$writes\$" "^counter\\.v1\\.$reads\$"
