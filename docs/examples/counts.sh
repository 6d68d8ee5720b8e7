#!/bin/sh
# The people inside each store now, the events of a day, and the devices that have been silent for a day.
#   BASE=http://127.0.0.1:8080/public/Service.asmx COMPANY=Acme TOKEN=… KEY=… sh counts.sh 2026-11-20
set -eu
day=$1

# --data-urlencode keeps what a form must encode. An error prints its record and ends with exit code 22.
call() {
  operation=$1
  shift
  curl --silent --show-error --fail-with-body --data-urlencode "CompanyName=$COMPANY" "$@" "$BASE/$operation"
}

call GetAllCountsByCompanyForTodayPublic --data-urlencode "Token=$TOKEN"
echo
call GetCountsByCompanyAndDatePublic --data-urlencode "Token=$TOKEN" \
  -d "DateFrom=$day" -d "DateTo=$day" -H 'Accept: text/csv'
call GetLifeSignalInactive -H "Authorization: $KEY" -d InactiveForHours=24
echo
